/** Who has set a field, by the managed fields of its object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedBy, type Step } from '../../../../lib/clusters/apply/changed-by.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const entry = (manager: string, time: string, fieldsV1: object, more: object = {}) => ({
  ...{ manager, time, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 },
  ...more,
})

const object = {
  apiVersion: 'v1',
  kind: 'X',
  metadata: {
    name: 'x',
    managedFields: [
      entry('kustomize-controller', '2026-11-27T15:00:00Z', { 'f:data': { 'f:a': {}, 'f:b': {} } }),
      entry('early', '2026-11-27T10:00:00Z', { 'f:data': { 'f:a': {}, 'f:map': {} } }),
      entry('late', '2026-11-27T12:00:00Z', {
        'f:data': { 'f:a': {} },
        'f:spec': {
          'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:image': {} }, 'k:{"port":80}': { 'f:x': {} } },
        },
      }),
      entry('scaler', '2026-11-27T13:00:00Z', { 'f:data': { 'f:a': {} } }, { subresource: 'scale' }),
    ],
  },
} as unknown as KubernetesObject

const by = (...steps: readonly Step[]) => changedBy(object, steps, 'kustomize-controller')

test('the latest manager of a field is named, never the one that applies, nor a subresource', () => {
  assert.deepEqual(by('data', 'a'), { manager: 'late', changedAt: '2026-11-27T12:00:00Z' })
  assert.equal(by('data', 'b'), undefined)
})

test('items of lists are found by name', () => {
  assert.equal(by('spec', 'containers', { name: 'app' }, 'image')?.manager, 'late')
  assert.equal(by('spec', 'containers', { name: 'app' })?.manager, 'late')
  assert.equal(by('spec', 'containers', { name: 'other' }, 'image'), undefined)
})

test('what is owned as a whole is owned with all in it; what nobody owns has no author', () => {
  assert.equal(by('data', 'map', 'key')?.manager, 'early')
  assert.equal(by('spec', 'replicas'), undefined)
  assert.equal(changedBy({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } }, ['data'], 'a'), undefined)
})
