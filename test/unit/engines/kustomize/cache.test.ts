import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BuildCache, build, printResources } from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { differenceOfRebuilds, type Files, histories } from '../../../differential/rebuilds.ts'

test('gives the same result with a cache, whatever was edited and broken since the build before', async () => {
  const property = fc.asyncProperty(histories, async history =>
    assert.equal(await differenceOfRebuilds(history), undefined),
  )
  await fc.assert(property, { seed: 5, numRuns: 60 })
})

const TREE: Files = {
  'a/kustomization.yaml': 'resources: [one.yaml, two.yaml]\nnamePrefix: a-\n',
  'a/one.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n',
  'a/two.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: two\n',
  'b/kustomization.yaml': 'resources: [b.yaml]\n',
  'b/b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n',
  'top/kustomization.yaml': 'resources: [../a, ../b]\nnamespace: top\n',
}

const LIST = { type: 'array', items: {}, 'x-kubernetes-patch-strategy': 'merge' }

const output = async (files: Files): Promise<string> => printResources((await build(memoryTree(files), '')).resources)

const keptIn = (cache: BuildCache): Map<string, unknown> => new Map([...cache.directories, ...cache.resources])

test('spares what did not change', async () => {
  const cache = new BuildCache()
  await build(memoryTree(TREE), 'top', { cache })
  const before = keptIn(cache)
  const changed = { ...TREE, 'a/two.yaml': TREE['a/two.yaml']!.replace('two', 'three') }
  const { resources } = await build(memoryTree(changed), 'top', { cache })
  assert.match(printResources(resources), /name: a-three\n {2}namespace: top/)
  const anew = [...keptIn(cache)].filter(([key, kept]) => before.get(key) !== kept)
  assert.deepEqual(anew.map(([key]) => key).sort(), [
    'directory ["a",null,"top"]',
    'resources [{"file":"a/two.yaml","overlay":"a"},"two.yaml"]',
  ])
})

test('gives the very result of before when nothing changed that was read', async () => {
  const cache = new BuildCache()
  const first = await build(memoryTree(TREE), 'top', { cache })
  const again = await build(memoryTree({ ...TREE, 'elsewhere/unread.yaml': 'kind: Other\n' }), 'top', { cache })
  assert.equal(again, first)
})

test('prints again only objects that changed, and those that refer to what was renamed', async () => {
  const cache = new BuildCache()
  const pod = (name: string, config: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  volumes:\n  - configMap:\n      name: ${config}\n    name: v\n`
  const files = {
    'base/kustomization.yaml': 'resources: [one.yaml, two.yaml]\nconfigMapGenerator: [{name: c, files: [c.txt]}]\n',
    'base/one.yaml': pod('one', 'c'),
    'base/two.yaml': pod('two', 'other'),
    'base/c.txt': 'before\n',
    'kustomization.yaml': 'resources: [base]\nnamePrefix: x-\ncommonAnnotations: {a: b}\n',
  }
  const { resources } = await build(memoryTree(files), '', { cache })
  const again = await build(memoryTree({ ...files, 'base/c.txt': 'after\n' }), '', { cache })
  const isSame = again.resources.map(({ object }, i) => [object.kind, object === resources[i]!.object])
  assert.deepEqual(isSame, [
    ['Pod', false],
    ['Pod', true],
    ['ConfigMap', false],
  ])
  assert.notEqual(again.resources[0]!.yaml, resources[0]!.yaml)
})

test('keeps nothing of a tree that brings a schema of its own, until it does no more', async () => {
  const cache = new BuildCache()
  const base = 'resources: [b.yaml]\n'
  const files = {
    ...TREE,
    'b/schema.json': '{"definitions": {}}',
    'b/kustomization.yaml': `${base}openapi: {path: schema.json}\n`,
  }
  const states: Files[] = [files, files, TREE, TREE, files]
  assert.equal(await differenceOfRebuilds({ path: 'top', states }), undefined)
  await build(memoryTree(files), 'top', { cache })
  assert.equal(cache.directories.size, 0)
  await build(memoryTree(TREE), 'top', { cache })
  await build(memoryTree(TREE), 'top', { cache })
  assert.equal(cache.directories.size, 2)
})

test('uses a schema that the tree adds later, for earlier bases as well', async () => {
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, key: k}]}\n'
  const base = {
    'base/kustomization.yaml': 'resources: [pod.yaml]\npatches: [{path: patch.yaml}]\n',
    'base/pod.yaml': pod,
    'base/patch.yaml': pod.replace('name: a', 'image: i'),
    'pod.json': JSON.stringify({
      definitions: {
        Pod: {
          properties: { spec: { properties: { containers: { ...LIST, 'x-kubernetes-patch-merge-key': 'key' } } } },
          'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
        },
      },
    }),
  }
  // There is something to replace only where the patch went into the container of its key.
  const replacing =
    "replacements: [{source: {kind: Pod, fieldPath: kind}, targets: [{select: {kind: Pod}, fieldPaths: ['spec.containers.[name=a].image']}]}]\n"
  const states: Files[] = [
    { ...base, 'kustomization.yaml': 'resources: [base]\n' },
    { ...base, 'kustomization.yaml': `resources: [base]\nopenapi: {path: pod.json}\n${replacing}` },
  ]
  assert.equal(await differenceOfRebuilds({ path: '', states }), undefined)
  await output(states[1]!)
  await assert.rejects(output({ ...base, 'kustomization.yaml': `resources: [base]\n${replacing}` }))
})

test('remembers what it spared for the builds to come', async () => {
  const cache = new BuildCache()
  const outcomes = async (note: string): Promise<readonly number[]> => {
    const files = {
      'kustomization.yaml': `resources: [pod.yaml, config.yaml]
images: [{name: x, newTag: v}, {name: x, newTag: v}]
namePrefix: p-
# ${note}
`,
      'pod.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{image: x}], volumes: [{configMap: {name: c}}]}\n',
      'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
    }
    await build(memoryTree(files), '', { cache })
    return [...cache.outcomes.values()].map(({ size }) => size)
  }
  const first = await outcomes('first')
  // The two changes of images are the same: they count together.
  assert.equal(Math.max(...first), 4)
  assert.deepEqual(await outcomes('second'), first)
  assert.deepEqual(await outcomes('third'), first)
})

test('forgets what a build has no use for any more', async () => {
  const cache = new BuildCache()
  await build(memoryTree(TREE), 'top', { cache })
  await build(memoryTree({ ...TREE, 'top/kustomization.yaml': 'resources: [../b]\n' }), 'top', { cache })
  assert.deepEqual(
    [...keptIn(cache).keys()],
    ['directory ["b",null,""]', 'resources [{"file":"b/b.yaml","overlay":"b"},"b.yaml"]'],
  )
})

test('forgets builds with other options', async () => {
  const cache = new BuildCache()
  const files = { 'a/kustomization.yaml': 'resources: [../b.yaml]\n', 'b.yaml': TREE['b/b.yaml']! }
  await build(memoryTree(files), 'a', { cache })
  await assert.rejects(build(memoryTree(files), 'a', { cache, loadRestrictions: 'root-only' }), /is not in or below/)
})

test('builds a tree with a schema of its own once, as long as it has one', async () => {
  const cache = new BuildCache()
  const files = {
    'kustomization.yaml': 'resources: [a.yaml]\nopenapi: {path: schema.json}\n',
    'schema.json': '{"definitions": {}}',
    'a.yaml': TREE['b/b.yaml']!,
  }
  const without = { ...files, 'kustomization.yaml': 'resources: [a.yaml]\n' }
  const readsOf = async (tree: Files): Promise<number> => {
    const { read, list } = memoryTree(tree)
    let reads = 0
    const counting = (path: string) => {
      if (path === 'schema.json') reads++
      return read(path)
    }
    await build({ read: counting, list }, '', { cache })
    return reads
  }
  const first = await readsOf(files)
  const again = await readsOf(files)
  assert.ok(again < first, `${again} of ${first}`)
  await readsOf(without)
  await readsOf(without)
  assert.ok(cache.whole)
})

test('keeps only the traces that a build requests, whatever the previous build requested', async () => {
  const built = (fields: string): Files => ({
    'kustomization.yaml': `resources: [b]\nbuildMetadata: [${fields}]\n`,
    'b/kustomization.yaml': 'resources: [b.yaml]\nnamePrefix: p-\n',
    'b/b.yaml': TREE['b/b.yaml']!,
  })
  const all = ['originAnnotations', 'transformerAnnotations', 'managedByLabel']
  const states = [all, all.slice(1), all.slice(0, 1), all.slice(2), [], all].map(fields => built(fields.join()))
  assert.equal(await differenceOfRebuilds({ path: '', states }), undefined)
})
