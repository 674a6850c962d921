/** Records what kustomize's own merge makes of the documents of test/unit/engines/kustomize/merges.ts: `node test/recorders/kustomize-merges.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KustomizeMerge, kustomizeOracle } from '../bed/kustomize-oracle.ts'
import { comparableAnswer } from '../unit/engines/kustomize/comparable-answer.ts'
import { merges, randomMerges } from '../unit/engines/kustomize/merges.ts'
import { answerDigest } from '../unit/engines/kustomize/random-trees.ts'

await using oracle = await kustomizeOracle()
const answersTo = (some: readonly KustomizeMerge[]) =>
  Promise.all(some.map(async merge => comparableAnswer(await oracle.merge(merge))))

const recorded: Record<string, unknown> = {}
for (const [title, group] of Object.entries(merges)) recorded[title] = await answersTo(group)
recorded.random = (await answersTo(randomMerges())).map(answerDigest)
const path = join(import.meta.dirname, '../unit/engines/kustomize/merges.recorded.json')
writeFileSync(path, `${JSON.stringify(recorded, null, 1)}\n`)
