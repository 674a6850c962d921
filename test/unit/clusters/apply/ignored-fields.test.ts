import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoredFields, withLiveFields, withoutFields } from '../../../../lib/clusters/apply/ignored-fields.ts'
import { parsePointer, valueAt, withValueAt } from '../../../../lib/clusters/apply/json-pointer.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const deployment = (spec: object, managedFields: unknown[] = []): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'apps', labels: { tier: 'front' }, managedFields: managedFields as never },
  spec,
})

test('KS-211 reads pointers with escaped slashes and tildes', () => {
  assert.deepEqual(parsePointer('/metadata/annotations/example.com~1x~0y'), [
    'metadata',
    'annotations',
    'example.com/x~y',
  ])
  assert.throws(() => parsePointer('spec/replicas'), /must start with a slash/)
  const list = { items: [{ a: 1 }, { a: 2 }] }
  assert.equal(valueAt(list, ['items', '1', 'a']), 2)
  assert.deepEqual(withValueAt(list, ['items', '0'], undefined), { items: [{ a: 2 }] })
  assert.deepEqual(withValueAt(list, ['items', '1', 'a'], 3), { items: [{ a: 1 }, { a: 3 }] })
  assert.equal(withValueAt(list, ['items', '7', 'a'], 3).items.length, 2)
})

test('KS-212 limits rules to objects, by whole-value patterns and selectors', () => {
  const matches = (target: object) =>
    ignoredFields([{ paths: ['/spec/replicas'], target }])(deployment({})).length === 1
  assert.ok(matches({ kind: 'Deploy.*', group: 'apps', version: 'v1', name: 'web', namespace: 'apps' }))
  assert.ok(matches({ labelSelector: 'tier in (front, back)' }))
  for (const other of [
    { kind: 'Deploy' },
    { name: 'we' },
    { namespace: 'other' },
    { labelSelector: 'tier=back' },
    { annotationSelector: 'x' },
  ])
    assert.ok(!matches(other), JSON.stringify(other))
  assert.throws(() => ignoredFields([{ paths: [], target: { kind: '(' } }]))
})

test('KS-213 covers every object without a target', () => {
  assert.deepEqual(ignoredFields([{ paths: ['/spec/replicas'] }])(deployment({})), [['spec', 'replicas']])
})

test('compares without the ignored fields', () => {
  assert.deepEqual(withoutFields(deployment({ replicas: 3, paused: false }), [['spec', 'replicas']]).spec, {
    paused: false,
  })
})

const owning = (manager: string, fieldsV1: object) => ({ manager, operation: 'Apply', apiVersion: 'apps/v1', fieldsV1 })

test('KS-215 leaves out what another applier owns', () => {
  const live = deployment({ replicas: 5, paused: true }, [owning('hpa', { 'f:spec': { 'f:replicas': {} } })])
  const desired = deployment({ replicas: 1, paused: false })
  const sent = withLiveFields(desired, live, desired, [['spec', 'replicas']], 'kustomize-controller')
  assert.deepEqual(sent.spec, { paused: false })
})

test('KS-216 sends back what lives where nobody else applies it', () => {
  const live = deployment({ replicas: 5 }, [owning('kustomize-controller', { 'f:spec': { 'f:replicas': {} } })])
  const desired = deployment({ replicas: 1 })
  const sent = withLiveFields(desired, live, desired, [['spec', 'replicas']], 'kustomize-controller')
  assert.deepEqual(sent.spec, { replicas: 5 })
})

test('finds the owner of an item of a list by its key', () => {
  const containers = (image: string) => ({
    containers: [
      { name: 'a', image: 'a:1' },
      { name: 'b', image },
    ],
  })
  const live = deployment(containers('b:9'), [
    owning('tool', { 'f:spec': { 'f:containers': { 'k:{"name":"b"}': { 'f:image': {} } } } }),
  ])
  const desired = deployment(containers('b:1'))
  const sent = withLiveFields(desired, live, desired, [['spec', 'containers', '1', 'image']], 'kustomize-controller')
  assert.deepEqual(sent.spec, { containers: [{ name: 'a', image: 'a:1' }, { name: 'b' }] })
})
