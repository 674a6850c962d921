import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BuildCache, type BuildOptions, build, printResources } from '../../../lib/kustomize/build.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'
import { brokenTrees } from '../../differential/broken-trees.ts'
import { kustomizeTrees } from '../../differential/kustomize-trees.ts'

type Files = Record<string, string>

const outcome = async (files: Files, path: string, options: BuildOptions = {}): Promise<unknown> => {
  try {
    const { resources, filesRead, warnings } = await build(memoryTree(files), path, options)
    return { output: printResources(resources), origins: resources.map(({ origin }) => origin), filesRead, warnings }
  } catch (error) {
    return (error as Error).message
  }
}

test('comes to the same with a cache, whatever was built and broken before', async () => {
  const histories = fc.array(fc.oneof(kustomizeTrees, brokenTrees), { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(histories, async trees => {
      const cache = new BuildCache()
      const steps = [...trees, ...trees].map(({ files }, i) => ({ ...trees[0]!.files, ...(i % 2 ? files : {}) }))
      for (const files of steps)
        assert.deepEqual(await outcome(files, trees[0]!.path, { cache }), await outcome(files, trees[0]!.path))
    }),
    { seed: 5, numRuns: 40 },
  )
})

const TREE: Files = {
  'a/kustomization.yaml': 'resources: [one.yaml, two.yaml]\nnamePrefix: a-\n',
  'a/one.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n',
  'a/two.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: two\n',
  'b/kustomization.yaml': 'resources: [b.yaml]\n',
  'b/b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n',
  'top/kustomization.yaml': 'resources: [../a, ../b]\nnamespace: top\n',
}

test('spares what did not change', async () => {
  const cache = new BuildCache()
  await build(memoryTree(TREE), 'top', { cache })
  const before = new Map<string, unknown>([...cache.directories, ...cache.files])
  const changed = { ...TREE, 'a/two.yaml': TREE['a/two.yaml']!.replace('two', 'three') }
  const { resources } = await build(memoryTree(changed), 'top', { cache })
  assert.match(printResources(resources), /name: a-three\n {2}namespace: top/)
  const anew = [...cache.directories, ...cache.files].filter(([key, kept]) => before.get(key) !== kept)
  assert.deepEqual(anew.map(([key]) => key).sort(), ['directory ["a",null]', 'file a a/two.yaml'])
})

test('forgets what a build has no use for any more', async () => {
  const cache = new BuildCache()
  await build(memoryTree(TREE), 'top', { cache })
  await build(memoryTree({ ...TREE, 'top/kustomization.yaml': 'resources: [../b]\n' }), 'top', { cache })
  assert.deepEqual([...cache.directories.keys(), ...cache.files.keys()], ['directory ["b",null]', 'file b b/b.yaml'])
})
