import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from '../../../lib/kustomize/build.ts'
import { KustomizeError, placeOf } from '../../../lib/kustomize/kustomize-error.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'
const NO_TARGET = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n'

/** What is wrong with a kustomization: its lines, the file and field to look at, and further files. */
const faults: readonly (readonly [lines: string, file: string, field: string, files?: Record<string, string>])[] = [
  ['namePrefixx: p-', 'kustomization.yaml', 'namePrefixx'],
  ['namespace: [a]', 'kustomization.yaml', 'namespace'],
  ['resources: [missing.yaml]', 'missing.yaml', 'resources'],
  ['resources: [{a: 1}]', 'kustomization.yaml', 'resources'],
  ['components: [missing]', 'missing', 'components'],
  ['crds: [missing.json]', 'missing.json', 'crds'],
  ['configurations: [missing.yaml]', 'missing.yaml', 'configurations'],
  ['openapi: {path: missing.json}', 'missing.json', 'openapi'],
  ['sortOptions: {order: other}', 'kustomization.yaml', 'sortOptions.order'],
  ['patches: [{patch: "no patch"}]', 'kustomization.yaml', 'patch'],
  ['patches: [{path: patch.yaml}]', 'patch.yaml', 'patches', { 'patch.yaml': NO_TARGET }],
  [`patches: [{patch: '[{"op": "remove", "path": "/x"}]', target: {name: a}}]`, 'a.yaml', '/x'],
  ['patchesStrategicMerge: [patch.yaml]', 'patch.yaml', 'patchesStrategicMerge', { 'patch.yaml': NO_TARGET }],
  ['patchesJson6902: [{patch: "[]"}]', 'kustomization.yaml', 'target.name'],
  ['replicas: [{name: nobody, count: 1}]', 'kustomization.yaml', 'replicas'],
  ['replacements: [{targets: []}]', 'kustomization.yaml', 'replacements'],
  ['transformers: [t.yaml]', 't.yaml', 'kind', { 't.yaml': 'apiVersion: builtin\nkind: No\nmetadata: {name: t}\n' }],
  ['generators: [t.yaml]', 't.yaml', 'kind', { 't.yaml': 'apiVersion: x/v1\nkind: No\nmetadata: {name: t}\n' }],
  ['configMapGenerator: [{name: c, files: [missing.txt]}]', 'missing.txt', 'configMapGenerator[0]'],
  ['configMapGenerator: [{name: c, literals: [no-pair]}]', 'kustomization.yaml', 'literals'],
  ['configMapGenerator: [{literals: [a=b]}]', 'kustomization.yaml', 'name'],
  ['secretGenerator: [{name: c, literals: [key=1, key=2]}]', 'kustomization.yaml', 'key'],
  ['secretGenerator: [{name: c, files: [a=b=c]}]', 'kustomization.yaml', 'files'],
  ['configMapGenerator: [{name: c, files: [=a.yaml]}]', 'kustomization.yaml', 'files'],
  ['configMapGenerator: [{name: c, files: [a=]}]', 'kustomization.yaml', 'files'],
  ['configMapGenerator: [{name: none, behavior: merge}]', 'kustomization.yaml', 'behavior'],
  ['configMapGenerator: [{name: a}]', 'kustomization.yaml', 'behavior'],
  ['images: [{newTag: {}}]', 'kustomization.yaml', 'images.newTag'],
  ['replacements: [{source: {name: 1}}]', 'kustomization.yaml', 'replacements.source.name'],
  ['patches: [{target: {some: 1}}]', 'kustomization.yaml', 'patches.target.some'],
  ['kind: Other', 'kustomization.yaml', 'kind'],
  ['apiVersion: v1', 'kustomization.yaml', 'apiVersion'],
  ['helmCharts: [{name: c}]', 'kustomization.yaml', 'helmCharts[0]'],
  ['vars: [{name: V, objref: {kind: ConfigMap, name: nobody, apiVersion: v1}}]', 'kustomization.yaml', 'vars'],
]

for (const [lines, file, field, files = {}] of faults)
  test(`names ${file} and ${field} as what is wrong with ${lines}`, async () => {
    const base = lines.startsWith('resources') ? '' : 'resources: [a.yaml]\n'
    const tree = memoryTree({ 'kustomization.yaml': `${base}${lines}\n`, 'a.yaml': CONFIG_MAP, ...files })
    const error = await build(tree, '').then(
      () => assert.fail('was built'),
      (error: unknown) => error,
    )
    assert.ok(error instanceof KustomizeError, String(error))
    assert.deepEqual({ file: error.file, field: error.field }, { file, field }, error.message)
  })

test('names the file of a kustomization that says nothing, or has two things wrong', async () => {
  for (const [text, field] of [
    ['', undefined],
    ['apiVersion: v1\nkind: Other\nresources: []\n', 'kind'],
    ['resources: [', undefined],
  ] as const)
    await assert.rejects(build(memoryTree({ 'kustomization.yaml': text }), ''), { file: 'kustomization.yaml', field })
})

test('says what the message leaves out, and nothing twice', () => {
  const place = { file: 'app/kustomization.yaml', field: 'patches' }
  assert.equal(placeOf(new KustomizeError('no', place)), ' (file: app/kustomization.yaml, field: patches)')
  assert.equal(placeOf(new KustomizeError('bad patches', place), '/'), ' (file: /app/kustomization.yaml)')
  assert.equal(placeOf(new KustomizeError('app/kustomization.yaml: patches', place)), '')
  assert.equal(placeOf(new KustomizeError('no', { file: 'https://x/a' }), '/'), ' (file: https://x/a)')
})

test('shows nothing of what a Secret holds', async () => {
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: aHVudGVyMg==\n  1: x\n'
  const error = await build(memoryTree({ 'kustomization.yaml': 'resources: [s.yaml]\n', 's.yaml': secret }), '').then(
    () => assert.fail('was built'),
    (error: KustomizeError) => error,
  )
  assert.ok(!error.message.includes('aHVudGVyMg'), error.message)
  assert.equal(error.field, 'data')
})
