/** Builds with what the one before has left, of trees in which something changed that a reference depends on, though not its object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOfRebuilds, type Files } from '../../../differential/rebuilds.ts'

const configMap = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`

const TREE: Files = {
  'top/kustomization.yaml': 'resources: [../a, ../b]\n',
  'a/kustomization.yaml': 'resources: [a.yaml]\n',
  'a/a.yaml': configMap('a'),
  'b/kustomization.yaml': 'resources: [pod.yaml]\n',
  'b/pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{configMap: {name: a}}]}\n',
}

const isRebuilt = async (...states: readonly Files[]): Promise<void> =>
  assert.equal(await differenceOfRebuilds({ path: 'top', states }), undefined)

test('follows references to what was renamed since', async () => {
  const renamed = { ...TREE, 'a/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: x-\n' }
  const other = { ...TREE, 'a/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: y-\n' }
  await isRebuilt(TREE, renamed, other, TREE, renamed)
})

test('follows references by the configuration that there is now', async () => {
  const names = (path: string) =>
    `nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n  - {kind: Widget, path: ${path}}\n`
  const files = {
    ...TREE,
    'top/kustomization.yaml': 'resources: [../a, ../b]\nconfigurations: [names.yaml]\n',
    'a/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: x-\n',
    'b/pod.yaml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {one: a, two: a}\n',
  }
  const [one, two] = ['spec/one', 'spec/two'].map(path => ({ ...files, 'top/names.yaml': names(path) }))
  await isRebuilt(one!, two!, { ...files, 'top/kustomization.yaml': TREE['top/kustomization.yaml']! }, one!)
})

test('uses the first object of a namespace', async () => {
  const files = {
    ...TREE,
    'top/kustomization.yaml':
      'resources: [../a, ../b, ../c]\nconfigurations: [names.yaml]\nnamespace: moved\nnamePrefix: p-\n',
    'top/names.yaml': 'nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n  - {kind: Widget, path: ref}\n',
    'b/pod.yaml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nref: {name: a, namespace: moved}\n',
    'c/kustomization.yaml': 'resources: [c.yaml]\n',
    'c/c.yaml': configMap('c', '  namespace: moved\n'),
  }
  await isRebuilt(files, { ...files, 'c/c.yaml': configMap('c') }, files)
})
