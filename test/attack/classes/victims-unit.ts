import assert from 'node:assert/strict'
import type { Condition, KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import { ownerOf } from '../../bed/fleet-objects.ts'
import type { Manifest } from '../manifests.ts'
import { type AttackWorld, verdictOf } from '../world.ts'

/** A Kustomization of the victim's, which must be served whatever mallory's objects cost. */

/** Creates what mallory may create; the hub deletes it when the attempt is over. */
export const created = async ({ mallory }: AttackWorld, { collection, object }: Manifest): Promise<void> => {
  const { status, body } = await mallory.request('POST', collection, object)
  assert.equal(status, 201, JSON.stringify(body).slice(0, 300))
}

export const unitOfVictim = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/victim/kustomizations/app'

/** A unit of the victim's, which goes on being applied. */
export const victimUnit = async ({ admin, hub }: AttackWorld): Promise<void> => {
  if ((await admin.request('GET', unitOfVictim)).status === 200) return
  await hub.apply(`${ownerOf('victim', 'default')}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: victim}
spec: {sourceRef: {kind: GitRepository, name: app}, path: ./, prune: true, interval: 1h, targetNamespace: victim}
`)
  assert.equal((await verdictOf(admin, unitOfVictim)).status, 'True')
}

/** Has the victim's unit reconciled, and probes the hub until it is. */
export const victimIsServed = async (world: AttackWorld): Promise<void> => {
  const { admin, freshName } = world
  const requestedAt = freshName()
  await admin.patch(unitOfVictim, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt } } })
  await eventually(async () => {
    await world.requireHealthy()
    const { status } = (await admin.request('GET', unitOfVictim)).body as KubernetesObject & {
      readonly status: { readonly lastHandledReconcileAt?: string; readonly conditions: readonly Condition[] }
    }
    assert.equal(status.lastHandledReconcileAt, requestedAt)
    assert.equal(status.conditions.find(({ type }) => type === 'Ready')?.status, 'True')
  })
}
