import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Disclosure, fieldDiff } from '../../../../lib/clusters/apply/field-diff.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const open: Disclosure = { isHidden: () => false, masked: text => text }

const deployment = (spec: object, metadata: object = {}): KubernetesObject =>
  ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'app', ...metadata }, spec }) as KubernetesObject

test('names each field that differs, lists of named items by their names', () => {
  const before = deployment(
    {
      replicas: 1,
      paused: true,
      template: { containers: [{ name: 'app', image: 'app:1', args: ['a', 'b'] }, { name: 'old' }] },
    },
    { labels: { tier: 'web' }, resourceVersion: '1', generation: 1, managedFields: [] },
  )
  const after = deployment(
    {
      replicas: 2,
      template: { containers: [{ name: 'new' }, { name: 'app', image: 'app:2', args: ['a', 'c'] }] },
    },
    { labels: { tier: 'web', 'app.kubernetes.io/name': 'x' }, resourceVersion: '2', generation: 2 },
  )
  const { fields, more } = fieldDiff(before, { ...after, status: { replicas: 2 } }, open)
  assert.deepEqual(fields, [
    { path: 'metadata.labels["app.kubernetes.io/name"]', after: 'x' },
    { path: 'spec.replicas', before: '1', after: '2' },
    { path: 'spec.paused', before: 'true' },
    { path: 'spec.template.containers[name=app].image', before: 'app:1', after: 'app:2' },
    { path: 'spec.template.containers[name=app].args', before: '["a","b"]', after: '["a","c"]' },
    { path: 'spec.template.containers[name=old]', before: '{"name":"old"}' },
    { path: 'spec.template.containers[name=new]', after: '{"name":"new"}' },
  ])
  assert.equal(more, 0)
})

test('shows of a Secret which keys changed, and nothing of what kubectl kept of it', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const secret = (data: object, kept: string): KubernetesObject =>
    ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', annotations: { [annotation]: kept } }, data }) as never
  const { fields } = fieldDiff(
    secret({ a: 'b2xk', same: 'eA==' }, 'hunter1'),
    secret({ a: 'bmV3', same: 'eA==' }, 'hunter2'),
    open,
  )
  assert.deepEqual(fields, [{ path: 'data.a', before: '***', after: '***' }])
})

test('hides all values of an object that may not be shown, and known secrets anywhere', () => {
  const [before, after] = [
    deployment({ url: 'db://old-secret@db', n: 1 }),
    deployment({ url: 'db://new-secret@db', n: 2 }),
  ]
  const { fields: hidden } = fieldDiff(before, after, { ...open, isHidden: () => true })
  assert.deepEqual(
    hidden.map(({ before, after }) => [before, after]),
    [
      ['***', '***'],
      ['***', '***'],
    ],
  )
  const masked = (text: string) => text.replaceAll(/(old|new)-secret/g, '***')
  const { fields } = fieldDiff(before, after, { isHidden: () => false, masked })
  assert.deepEqual(fields[0], { path: 'spec.url', before: '***', after: '***' })
})

test('cuts what is long, and says how many fields are not listed', () => {
  const many = (value: string) => deployment(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, value])))
  const { fields, more } = fieldDiff(many('x'.repeat(1000)), many('y'), open)
  assert.deepEqual([fields.length, more, fields[0]?.before?.length], [40, 10, 201])
})
