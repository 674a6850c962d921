/** Trees of every kind, with what the real kustomize makes of them: `node test/recorders/kustomize.ts` records it anew. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BuildCache, type BuildOptions, build, printResources } from '../../../../lib/engines/kustomize/build.ts'
import { KustomizeError } from '../../../../lib/engines/kustomize/kustomize-error.ts'
import type { KustomizeAnswer, KustomizeTree } from '../../../bed/kustomize-oracle.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { comparableAnswer } from './comparable-answer.ts'
import { answerDigest, randomTrees } from './random-trees.ts'
import type { Trees } from './trees/tree.ts'

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'))

const ours = async ({ files, path, legacy }: KustomizeTree, options: BuildOptions = {}): Promise<KustomizeAnswer> => {
  try {
    const { resources } = await build(memoryTree(files), path, { reorder: legacy ? 'legacy' : 'none', ...options })
    return comparableAnswer({ output: printResources(resources) })
  } catch (error) {
    assert.ok(error instanceof KustomizeError, String((error as Error).stack))
    return comparableAnswer({ error: error.message })
  }
}

for (const file of globSync('trees/*.recorded.json', { cwd: import.meta.dirname }).sort()) {
  const recorded = readJson(file) as Readonly<Record<string, readonly KustomizeAnswer[]>>
  const { trees } = (await import(`./${file.replace('.recorded.json', '.ts')}`)) as { trees: Trees }
  for (const [title, group] of Object.entries(trees))
    test(title, async () => {
      assert.equal(recorded[title]?.length, group.length, 'record them anew')
      // Nor may it matter what was built before from some of the same files.
      const cache = new BuildCache()
      for (const [i, tree] of group.entries()) {
        const answer: KustomizeAnswer = recorded[title][i]!
        const built = await ours(tree)
        // Where kustomize itself breaks down, ours must say what is wrong.
        if (answer.error === 'panic') assert.ok(built.error, JSON.stringify(tree.files, null, 1))
        else assert.deepEqual(built, answer, JSON.stringify(tree.files, null, 1))
        assert.deepEqual(await ours(tree, { cache }), built, `${i} with a cache`)
      }
    })
}

const digests = readJson('random-trees.recorded.json') as readonly string[]
for (const [i, tree] of randomTrees().entries())
  test(`builds random tree ${i} as kustomize does`, async () => {
    assert.equal(answerDigest(await ours(tree)), digests[i], JSON.stringify(tree, null, 1))
  })
