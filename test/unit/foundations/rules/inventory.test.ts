import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  inventoryDifference,
  inventoryEntry,
  inventoryId,
  inventoryObject,
  inventoryUnion,
  parseInventoryId,
} from '../../../../lib/foundations/rules/inventory.ts'

const refs = {
  default_a__ConfigMap: { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' },
  _prod__Namespace: { group: '', kind: 'Namespace', namespace: '', name: 'prod' },
  apps_web_apps_Deployment: { group: 'apps', kind: 'Deployment', namespace: 'apps', name: 'web' },
  '_system__node-reader_rbac.authorization.k8s.io_ClusterRole': {
    group: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    namespace: '',
    name: 'system:node-reader',
  },
}

test('KS-326, KS-327 writes and reads inventory ids, colons as double underscores', () => {
  for (const [id, ref] of Object.entries(refs)) {
    assert.equal(inventoryId(ref), id)
    assert.deepEqual(parseInventoryId(id), ref)
  }
})

test('refuses text that is no inventory id', () => {
  for (const id of ['', 'a', 'a_b', 'a_b_c', '___', 'ns__group_Kind'])
    assert.throws(() => parseInventoryId(id), /unable to parse stored object metadata/)
})

test('KS-325 an entry names the object and the version it was applied in', () => {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'prod' } }
  const entry = inventoryEntry(deployment)
  assert.deepEqual(entry, { id: 'prod_web_apps_Deployment', v: 'v1' })
  assert.deepEqual(inventoryObject(entry), {
    apiVersion: 'apps/v1',
    ref: { group: 'apps', kind: 'Deployment', namespace: 'prod', name: 'web' },
  })
  assert.equal(inventoryObject({ id: 'default_a__ConfigMap', v: 'v1' }).apiVersion, 'v1')
})

test('another version of an object is the same object', () => {
  const old = [
    { id: 'a_x_batch_CronJob', v: 'v1beta1' },
    { id: 'a_y__ConfigMap', v: 'v1' },
  ]
  const next = [{ id: 'a_x_batch_CronJob', v: 'v1' }]
  assert.deepEqual(inventoryDifference(old, next), [{ id: 'a_y__ConfigMap', v: 'v1' }])
  assert.deepEqual(inventoryUnion(old, next), [
    { id: 'a_x_batch_CronJob', v: 'v1' },
    { id: 'a_y__ConfigMap', v: 'v1' },
  ])
})
