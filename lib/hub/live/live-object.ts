/** One object on a cluster: as YAML would show it, its Events, and the log of a pod. */
import type { ClusterClient } from '../../clusters/client/client.ts'
import { isSecret } from '../../clusters/client/mask-secret.ts'
import { type LogRead, maxTailLines } from '../../foundations/fleet/live.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import { badRequest } from '../store/api-errors.ts'
import { ApiError } from '../store/hub.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const maxEvents = 200
/** Of a log. */
export const limitBytes = 500_000

export interface Named {
  readonly apiVersion: string
  readonly ref: ObjectRef
}

/** The object of an inventory id: one in the inventory, or a Pod. Fails with BadRequest or NotFound. */
export const namedObject = (unit: KubernetesObject, id: string): Named => {
  const { inventory } = (unit.status ?? {}) as { readonly inventory?: { readonly entries?: readonly InventoryEntry[] } }
  const entry = inventory?.entries?.find(known => known.id === id)
  if (entry) return inventoryObject(entry)
  if (!/^[a-z0-9.-]+_[a-z0-9.-]+__Pod$/.test(id))
    throw new ApiError(404, 'NotFound', `${unit.kind} ${unit.metadata.name} has no object ${id} in its inventory`)
  return inventoryObject({ id, v: 'v1' })
}

/** As `shownObject`. Fails with NotFound, or a ClusterError. */
export const liveObject = async (cluster: ClusterClient, { apiVersion, ref }: Named): Promise<KubernetesObject> => {
  const object = await cluster.get(apiVersion, ref)
  if (!object) throw new ApiError(404, 'NotFound', `${ref.kind} "${ref.name}" not found on the cluster`)
  return shownObject(object)
}

/** Without managed fields; values of a Secret are `***`. */
export const shownObject = (object: KubernetesObject): KubernetesObject => {
  const { managedFields, annotations = {}, ...metadata } = object.metadata
  const { [lastApplied]: _, ...shown } = annotations
  const plain = { ...object, metadata: { ...metadata, annotations: isSecret(object) ? shown : annotations } }
  return isSecret(object) ? { ...plain, ...hidden(object, 'data'), ...hidden(object, 'stringData') } : plain
}

const hidden = (object: KubernetesObject, field: string) => {
  const values = object[field]
  if (typeof values !== 'object' || values === null) return {}
  return { [field]: Object.fromEntries(Object.keys(values).map(key => [key, '***'])) }
}

/** Fails with a ClusterError. */
export const liveEvents = async (cluster: ClusterClient, { ref }: Named): Promise<readonly KubernetesObject[]> => {
  const fieldSelector = `involvedObject.kind=${ref.kind},involvedObject.name=${ref.name}`
  const namespace = ref.namespace || 'default'
  return (await cluster.list({ apiVersion: 'v1', kind: 'Event', namespace, fieldSelector, limit: maxEvents })).items
}

/** The last lines. Fails with BadRequest or a ClusterError. */
export const podLog = async (
  cluster: ClusterClient,
  { ref }: Named,
  { container, previous = false, tailLines = maxTailLines }: LogRead,
): Promise<string> => {
  if (ref.kind !== 'Pod' || !cluster.podLog) throw badRequest(`${ref.kind} ${ref.name} has no log`)
  return cluster.podLog(ref, { container, previous, tailLines, limitBytes })
}
