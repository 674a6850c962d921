import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { createAddressing } from '../../../../lib/reconcile/runtime/addressing.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'

const group = 'kustomize.toolkit.fluxcd.io'
const ref: ObjectRef = { group, kind: 'Kustomization', namespace: 'apps', name: 'web' }
const object: KubernetesObject = {
  apiVersion: `${group}/v1`,
  kind: 'Kustomization',
  metadata: { name: 'web', namespace: 'apps' },
  spec: { kubeConfig: { secretRef: { name: 'prod' } } },
}

const reconciler = (groupOf?: () => string) =>
  ({ kind: { group, kind: 'Kustomization' }, stage: 'apply', groupOf }) as Reconciler<KubernetesObject>

const addressing = (stored: KubernetesObject | undefined, groupOf?: () => string) => {
  let reads = 0
  const hub = {
    get: async () => {
      reads++
      return stored as never
    },
  }
  return { ...createAddressing(hub, [reconciler(groupOf)]), reads: () => reads }
}

test('a message goes to the queue of its kind, in the group of its cluster', async () => {
  const { messageFor, messageTo } = addressing(object, () => 'apps/prod')
  const message = { stage: 'apply', ref, group: 'apps/prod' }
  assert.deepEqual(messageFor(object), message)
  assert.deepEqual(await messageTo(ref), message)
})

test('a deleted object is enqueued without a group', async () => {
  const { messageTo } = addressing(undefined, () => 'apps/prod')
  assert.deepEqual(await messageTo(ref), { stage: 'apply', ref })
})

test('a source is visited with its group, unless a reconciliation is requested: then it gets its own message', async () => {
  const visited = { ...reconciler(), isVisited: true, visitOf: () => 'github.com/1' } as Reconciler<KubernetesObject>
  const visitOfStored = (annotations: Readonly<Record<string, string>>, lastHandledReconcileAt?: string) => {
    const stored = { ...object, metadata: { ...object.metadata, annotations }, status: { lastHandledReconcileAt } }
    return createAddressing({ get: async () => stored as never }, [visited]).visitTo(ref)
  }
  assert.equal(await visitOfStored({}), 'github.com/1')
  assert.equal(await visitOfStored({ [requestedAtAnnotation]: 'now' }), undefined)
  assert.equal(await visitOfStored({ [requestedAtAnnotation]: 'now' }, 'now'), 'github.com/1')
  assert.equal(await visitOfStored({}, 'once'), 'github.com/1')
})

test('nothing is read of a kind without groups, and kinds without a reconciler get no message', async () => {
  const { messageTo, reads } = addressing(object)
  assert.deepEqual(await messageTo(ref), { stage: 'apply', ref })
  assert.equal(await messageTo({ ...ref, kind: 'Other' }), undefined)
  assert.equal(reads(), 0)
})
