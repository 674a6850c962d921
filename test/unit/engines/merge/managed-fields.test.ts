import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply } from '../../../../lib/engines/merge/apply.ts'
import { ApplyConflict } from '../../../../lib/engines/merge/conflict.ts'
import { isEmpty, setOf } from '../../../../lib/engines/merge/field-set.ts'
import { decodeOwners, withManagedFields, withoutManagedFields } from '../../../../lib/engines/merge/managed-fields.ts'
import { tracked, type Writing } from '../../../../lib/engines/merge/ownership.ts'
import { trackUpdate } from '../../../../lib/engines/merge/track-update.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../../../lib/foundations/kinds/object.ts'

const object: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
const entry = (more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  ...{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
  ...more,
})
const entriesOf = (...entries: ManagedFieldsEntry[]) =>
  withManagedFields(object, decodeOwners(entries)!).metadata.managedFields

test('entries come back as they are, in the order in which Kubernetes lists them', () => {
  const ordered = [
    entry({ operation: 'Apply', time: '2' }),
    entry({ operation: 'Apply', subresource: 'status', time: '2' }),
    entry({ apiVersion: 'v3', manager: 'a', subresource: 'scale' }),
    entry({ time: '1', manager: 'z' }),
    entry({ time: '2', manager: 'a', apiVersion: 'v2' }),
    entry({ time: '2', manager: 'b', apiVersion: 'v1' }),
    entry({ time: '2', manager: 'b', apiVersion: 'v2' }),
    entry({ time: '2', manager: 'b', apiVersion: 'v2', subresource: 'scale' }),
    entry({ time: '2', manager: 'b', apiVersion: 'v2', subresource: 'status' }),
  ]
  for (const start of ordered.keys()) {
    const rotated = [...ordered.slice(start), ...ordered.slice(0, start)]
    assert.deepEqual(entriesOf(...rotated), ordered)
    assert.deepEqual(entriesOf(...rotated.reverse()), ordered)
  }
  const { manager, ...nameless } = entry()
  assert.deepEqual(entriesOf(nameless), [nameless])
})

test('a manager without fields has no entry, and an object without owners has none at all', () => {
  assert.deepEqual(entriesOf(entry(), entry({ manager: 'n', fieldsV1: {} })), [entry()])
  assert.deepEqual(withManagedFields(object, new Map()), object)
  const owned = withManagedFields(object, decodeOwners([entry()])!)
  assert.deepEqual(withManagedFields(owned, new Map()), object)
  assert.deepEqual(withoutManagedFields(owned), object)
  assert.equal(withoutManagedFields(object), object)
})

test('one malformed entry makes all of them worthless', () => {
  const malformed = [
    entry({ operation: 'Delete' as 'Update' }),
    entry({ apiVersion: '' }),
    entry({ fieldsType: 'FieldsV2' as 'FieldsV1' }),
    entry({ fieldsV1: { x: {} } }),
  ]
  for (const one of malformed) assert.equal(decodeOwners([entry(), one]), undefined, JSON.stringify(one))
  const { fieldsV1, ...nothing } = entry()
  assert.equal(decodeOwners([nothing as ManagedFieldsEntry])?.size, 1)
  const live = { ...object, metadata: { ...object.metadata, managedFields: [malformed[0]!] } }
  assert.throws(() => apply(live, object, { ...writing, force: false }), {
    message: 'failed to decode managed fields',
  })
})

const text = { type: 'string' } as const
const texts = { type: 'object', additionalProperties: text } as const
const writing: Writing = {
  schema: {
    type: 'object',
    properties: {
      ...{ apiVersion: text, kind: text, data: texts },
      metadata: { type: 'object', properties: { name: text, labels: texts } },
    },
  },
  apiVersions: ['v1'],
  apiVersion: 'v1',
  manager: 'm',
  now: '2026-01-01T00:00:00Z',
}

test('nobody owns what identifies an object, nor what the server keeps of it', () => {
  const server = [
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ]
  const identity = [['apiVersion'], ['kind'], ['metadata'], ['metadata', 'name'], ['metadata', 'namespace']]
  for (const path of [...identity, ...server.map(name => ['metadata', name])])
    assert.ok(isEmpty(tracked(setOf(path))), path.join('.'))
  for (const path of [['metadata', 'labels'], ['spec', 'uid'], ['uid'], ['metadata', 'labels', 'uid']])
    assert.ok(!isEmpty(tracked(setOf(path))), path.join('.'))
})

const updated = (live: KubernetesObject | undefined, data: object, more: Partial<Writing> = {}): KubernetesObject =>
  trackUpdate(live, { ...object, data }, { ...writing, ...more })

test('who has no name is unknown; entries of versions that are served no more are dropped', () => {
  const live = updated(undefined, { a: '1' }, { apiVersion: 'v0', apiVersions: ['v0', 'v1'] })
  const { metadata } = updated(live, { a: '1', b: '2' }, { manager: '' })
  assert.deepEqual(
    metadata.managedFields?.map(({ manager, apiVersion }) => [manager, apiVersion]),
    [['unknown', 'v1']],
  )
})

test('managedFields that are sent count, unless a subresource is written or they are malformed', () => {
  const live = updated(undefined, { a: '1' })
  const sent = (managedFields: readonly object[], more: Partial<Writing> = {}) =>
    trackUpdate(
      live,
      { ...live, metadata: { ...live.metadata, managedFields: managedFields as ManagedFieldsEntry[] } },
      { ...writing, ...more },
    ).metadata.managedFields?.map(({ manager }) => manager)
  assert.deepEqual(sent([entry({ manager: 'n' })]), ['n'])
  for (const reset of [[], [{}]]) {
    assert.deepEqual(sent(reset), undefined)
    assert.deepEqual(sent(reset, { subresource: 'status' }), ['m'])
  }
  assert.deepEqual(sent([{}, entry({ manager: 'n' })]), ['m'])
})

test('kubectl leaves its annotation only where there is one already', () => {
  const applied = apply(undefined, { ...object, data: { a: '1' } }, { ...writing, manager: 'kubectl', force: false })
  assert.deepEqual(Object.keys(applied.metadata), ['name', 'managedFields'])
})

test('the time of an entry is that of the last write which gave it something', () => {
  const first = updated(undefined, { a: '1', b: '2' })
  const times = (now: KubernetesObject) => now.metadata.managedFields?.map(({ manager, time }) => [manager, time])
  assert.equal(updated(first, { a: '1', b: '2' }, { now: 'later' }), first)
  assert.deepEqual(times(updated(first, { a: '1' }, { now: 'later' })), [['m', writing.now]])
  assert.deepEqual(times(updated(first, { a: '1' }, { now: 'later', manager: 'n' })), [['m', writing.now]])
  assert.deepEqual(times(updated(first, { a: '2' }, { now: 'later' })), [['m', 'later']])
})

test('a conflict is an ApplyConflict, reported in the order of the owners', () => {
  const live = ['b', 'a'].reduce<KubernetesObject | undefined>(
    (live, manager) => updated(live, { ...(live?.data as object), [manager]: '1' }, { manager }),
    undefined,
  )
  const applied = { ...object, data: { a: '2', b: '2' } }
  assert.throws(
    () => apply(live, applied, { ...writing, force: false }),
    (error: ApplyConflict) => {
      assert.ok(error instanceof ApplyConflict)
      assert.equal(error.name, 'ApplyConflict')
      assert.deepEqual(
        error.causes.map(({ field }) => field),
        ['.data.a', '.data.b'],
      )
      return true
    },
  )
})
