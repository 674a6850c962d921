import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from '../../../../lib/engines/kustomize/build.ts'
import { KustomizeError, located, placeOf } from '../../../../lib/engines/kustomize/kustomize-error.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { CONFIG_MAP, faults } from './faults.ts'

for (const [lines, file, field, files = {}] of faults)
  test(`names ${file} and ${field} as what is wrong with ${lines}`, async () => {
    const base = lines.includes('resources') ? '' : 'resources: [a.yaml]\n'
    const tree = memoryTree({ 'kustomization.yaml': `${base}${lines}\n`, 'a.yaml': CONFIG_MAP, ...files })
    const error = await build(tree, '').then(
      () => assert.fail('was built'),
      (error: unknown) => error,
    )
    assert.ok(error instanceof KustomizeError, String(error))
    assert.deepEqual({ file: error.file, field: error.field }, { file, field }, error.message)
  })

test('names the directory that has no kustomization, or two', async () => {
  const two = { 'app/kustomization.yaml': '', 'app/Kustomization': '' }
  for (const files of [{ 'app/x.yaml': '' }, two])
    await assert.rejects(build(memoryTree(files), 'app'), { name: 'KustomizeError', file: 'app' })
  const atRoot: readonly Record<string, string>[] = [
    { 'x.yaml': '' },
    { 'kustomization.yaml': '', 'kustomization.yml': '' },
  ]
  for (const files of atRoot) await assert.rejects(build(memoryTree(files), ''), { name: 'KustomizeError', file: '.' })
})

test('names the file of a kustomization that says nothing, or has two things wrong', async () => {
  for (const [text, field] of [
    ['', undefined],
    ['apiVersion: v1\nkind: Other\nresources: []\n', 'kind'],
    ['resources: [', undefined],
  ] as const)
    await assert.rejects(build(memoryTree({ 'kustomization.yaml': text }), ''), { file: 'kustomization.yaml', field })
})

test('adds the place to an error as far as it has none, and leaves faults of the program alone', () => {
  const place = { file: 'a.yaml', field: 'data' }
  const complete = new KustomizeError('no', { file: 'b.yaml', field: 'kind' })
  assert.equal(located(complete, place), complete)
  const fault = new TypeError('no')
  assert.equal(located(fault, place), fault)
  const { file, field } = located(new KustomizeError('no', { file: 'b.yaml' }), place) as KustomizeError
  assert.deepEqual({ file, field }, { file: 'b.yaml', field: 'data' })
  assert.equal('cause' in complete, false)
})

test('names the step beside the file that it fails on', async () => {
  const steps: readonly (readonly [lines: string, field: string, file: string])[] = [
    ['configMapGenerator: [{name: ok}, {name: bad, files: [gone.txt]}]', 'configMapGenerator[1]', 'gone.txt'],
    ['secretGenerator: [{name: bad, envs: [gone.env]}]', 'secretGenerator[0]', 'gone.env'],
    [
      `patches: [{target: {kind: ConfigMap}, patch: '[{"op": "remove", "path": "/data/x"}]'}]`,
      'patches[0]',
      'b/a.yaml',
    ],
    [
      `patchesJson6902: [{target: {version: v1, kind: ConfigMap, name: a}, patch: '[{"op": "remove", "path": "/x"}]'}]`,
      'patchesJson6902[0]',
      'b/a.yaml',
    ],
  ]
  for (const [lines, field, file] of steps) {
    const tree = memoryTree({
      'kustomization.yaml': 'resources: [b]\n',
      'b/kustomization.yaml': `resources: [a.yaml]\n${lines}\n`,
      'b/a.yaml': CONFIG_MAP,
    })
    const error = await build(tree, '').catch((failure: KustomizeError) => failure)
    assert.ok(error instanceof KustomizeError, lines)
    assert.deepEqual(error.step, { file: 'b/kustomization.yaml', field }, lines)
    assert.ok(error.file?.endsWith(file), error.file)
    assert.match(placeOf(error), /in: b\/kustomization\.yaml/)
  }
})

test('says what the message leaves out, and nothing twice', () => {
  const step = { file: 'app/kustomization.yaml', field: 'patches[0]' }
  assert.equal(
    placeOf(new KustomizeError('no', { file: 'app/a.yaml', field: '/x', step }), '/'),
    ' (file: /app/a.yaml, in: /app/kustomization.yaml, field: patches[0])',
  )
  const place = { file: 'app/kustomization.yaml', field: 'patches' }
  assert.equal(placeOf(new KustomizeError('no', place)), ' (file: app/kustomization.yaml, field: patches)')
  assert.equal(placeOf(new KustomizeError('bad patches', place), '/'), ' (file: /app/kustomization.yaml)')
  assert.equal(placeOf(new KustomizeError('app/kustomization.yaml: patches', place)), '')
  assert.equal(placeOf(new KustomizeError('no', { file: 'https://x/a' }), '/'), ' (file: https://x/a)')
})

test('shows nothing of what a Secret holds', async () => {
  const secret =
    'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: aHVudGVyMg==\n  1: x\ndataset: 5\n'
  const error = await build(memoryTree({ 'kustomization.yaml': 'resources: [s.yaml]\n', 's.yaml': secret }), '').then(
    () => assert.fail('was built'),
    (error: KustomizeError) => error,
  )
  assert.equal(
    error.message,
    'map[string]interface {}{"apiVersion":"v1", "data":"**", "dataset":5, "kind":"Secret", "metadata":"**"}: json: unsupported type: map[interface {}]interface {}',
  )
  assert.equal(error.field, 'data')
})

test('shows nothing of what Secrets hold that a reference could mean', async () => {
  const secret = (value: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nimmutable: true\ndata:\n  password: ${value}\nstringData:\n  word: hunter2\n`
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  volumes: [{secret: {secretName: s}}]\n'
  const tree = memoryTree({
    'kustomization.yaml': 'resources: [one, two, p.yaml]\nnamePrefix: x-\n',
    'p.yaml': pod,
    'one/kustomization.yaml': 'resources: [s.yaml]\nnamePrefix: one-\n',
    'one/s.yaml': secret('aHVudGVyMQ=='),
    'two/kustomization.yaml': 'resources: [s.yaml]\nnamePrefix: two-\n',
    'two/s.yaml': secret('aHVudGVyMg=='),
  })
  await assert.rejects(build(tree, ''), ({ message }: Error) => {
    assert.match(message, /found multiple possible referrals: .*x-one-s.*x-two-s/)
    assert.match(message, /immutable: true/)
    assert.doesNotMatch(message, /hunter|aHVudGVy|password|word/)
    return true
  })
})
