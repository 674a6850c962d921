import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { manifest, plainSpecs } from '../manifests.ts'
import type { AttackWorld } from '../world.ts'

/** An object of the victim's that somebody wants to keep from being deleted, or to have deleted. */
const victimObject = async ({ admin, freshName }: AttackWorld): Promise<{ path: string; object: KubernetesObject }> => {
  const { collection, path, object } = manifest('ConfigMap', freshName(), {}, { namespace: 'victim' })
  const { status, body } = await admin.request('POST', collection, object)
  assert.equal(status, 201)
  return { path, object: body as KubernetesObject }
}

const ownedBy = ({ apiVersion, kind, metadata }: KubernetesObject, more: object) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
})

const dependents = ['ConfigMap', 'Secret', 'ServiceAccount', ...Object.keys(plainSpecs(''))]

const fieldsOf = (kind: string, url: string): Readonly<Record<string, unknown>> => {
  const spec = plainSpecs(url)[kind]
  return spec ? { spec } : {}
}

const blocks = (kind: string): Attempt => ({
  title: `a ${kind} with blockOwnerDeletion and a finalizer does not keep its owner in another namespace`,
  async run(world) {
    const { admin, mallory, freshName, malloryRepo } = world
    const { path, object } = await victimObject(world)
    const ownerReferences = [ownedBy(object, { blockOwnerDeletion: true, controller: true })]
    const held = manifest(kind, freshName(), fieldsOf(kind, malloryRepo.url), {
      ownerReferences: ownerReferences as KubernetesObject['metadata']['ownerReferences'],
      finalizers: ['mallory.example/hold'],
    })
    const { status, body } = await mallory.request('POST', held.collection, held.object)
    assert.equal(status, 201, JSON.stringify(body))
    await eventually(async () => {
      const { body } = await mallory.request('GET', '/api/v1/namespaces/mallory/events')
      const { items } = body as { readonly items: readonly Readonly<Record<string, string>>[] }
      const told = items.filter(({ reason }) => reason === 'OwnerRefInvalidNamespace')
      assert.ok(told.some(({ message }) => message?.includes(object.metadata.uid!)))
    })
    await admin.request('DELETE', path, { propagationPolicy: 'Foreground' })
    await eventually(async () => assert.equal((await admin.request('GET', path)).status, 404), { within: 10_000 })
    await mallory.patch(held.path, { metadata: { finalizers: null } })
    await mallory.request('DELETE', held.path)
  },
})

const survives: Attempt = {
  title: 'an owner reference to an object of another namespace deletes nothing there',
  async run(world) {
    const { admin, mallory, freshName } = world
    const { path, object } = await victimObject(world)
    const own = manifest('ConfigMap', freshName(), {}, { ownerReferences: [ownedBy(object, {})] as never })
    assert.equal((await mallory.request('POST', own.collection, own.object)).status, 201)
    await mallory.request('DELETE', own.path, { propagationPolicy: 'Background' })
    await sleep(300)
    assert.equal((await admin.request('GET', path)).status, 200)
  },
}

/** Owner references count within a namespace only, as in Kubernetes. */
export const ownership: AttackClass = {
  name: 'ownership',
  rule: 'An owner counts in its own namespace only',
  attempts: [...dependents.map(blocks), survives],
}
