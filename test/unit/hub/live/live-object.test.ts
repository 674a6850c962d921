import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { liveObject, namedObject } from '../../../../lib/hub/live/live-object.ts'

const unit = {
  ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata: { name: 'web' } },
  status: { inventory: { entries: [{ id: 'default_login__Secret', v: 'v1' }] } },
} as unknown as KubernetesObject

const holding = (object: KubernetesObject): ClusterClient =>
  ({ get: async () => object }) as Partial<ClusterClient> as ClusterClient

test('values of a Secret are hidden, in its data and in what kubectl noted; its keys are not', async () => {
  const secret: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'login',
      managedFields: [],
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aHVudGVyMg=="}}',
        a: 'b',
      },
    },
    data: { password: 'aHVudGVyMg==' },
    stringData: { user: 'hunter' },
  }
  const shown = await liveObject(holding(secret), namedObject(unit, 'default_login__Secret'))
  assert.deepEqual(shown, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', annotations: { a: 'b' } } },
    ...{ data: { password: '***' }, stringData: { user: '***' } },
  })
})

test('only what is in the inventory is read, and Pods', () => {
  assert.deepEqual(namedObject(unit, 'default_web-1__Pod').ref, {
    ...{ group: '', kind: 'Pod', namespace: 'default', name: 'web-1' },
  })
  for (const id of ['default_other__Secret', '_default__Namespace', '../x_y__Pod', 'a_b_g_Pod', ''])
    assert.throws(() => namedObject(unit, id), { reason: 'NotFound' }, id)
})
