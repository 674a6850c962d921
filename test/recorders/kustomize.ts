/**
 * Records what the real kustomize makes of the trees of test/unit/engines/kustomize: `node test/recorders/kustomize.ts` of all, or
 * `… kustomize.ts replacements` of those in trees/replacements.ts.
 */
import { globSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type KustomizeAnswer, type KustomizeTree, kustomizeOracle } from '../bed/kustomize-oracle.ts'
import { comparableAnswer } from '../unit/engines/kustomize/comparable-answer.ts'
import { answerDigest, randomTrees } from '../unit/engines/kustomize/random-trees.ts'
import type { Trees } from '../unit/engines/kustomize/trees/tree.ts'

const folder = join(import.meta.dirname, '../unit/engines/kustomize')
const written = (path: string, value: unknown) =>
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 1)}\n`)
const every = globSync('trees/*.ts', { cwd: folder })
  .map(file => basename(file, '.ts'))
  .filter(name => name !== 'tree')
const names = process.argv.slice(2)

await using oracle = await kustomizeOracle()
const answersTo = (trees: readonly KustomizeTree[]): Promise<readonly KustomizeAnswer[]> =>
  Promise.all(trees.map(async tree => comparableAnswer(await oracle.build(tree))))

for (const name of names.length > 0 ? names : every) {
  const { trees } = (await import(join(folder, `trees/${name}.ts`))) as { trees: Trees }
  const recorded: Record<string, readonly KustomizeAnswer[]> = {}
  for (const [title, group] of Object.entries(trees)) recorded[title] = await answersTo(group)
  written(`trees/${name}.recorded.json`, recorded)
}
if (names.length === 0) written('random-trees.recorded.json', (await answersTo(randomTrees())).map(answerDigest))
