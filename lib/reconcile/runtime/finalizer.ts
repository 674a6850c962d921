import type { Hub } from '../../hub/hub.ts'
import { ApiError } from '../../hub/hub.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { refOf } from '../../kinds/object.ts'
import type { Lease } from '../../ports/leases.ts'
import { LeaseLost } from '../../ports/leases.ts'
import { ObjectGone } from './status-writer.ts'

/** Keeps a deleted object in the hub until it has been undone. The name is Flux's. */
const finalizer = 'finalizers.fluxcd.io'

export const hasFinalizer = (object: KubernetesObject): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false

/** The object with the finalizer, stored. */
export const addFinalizer = async (
  hub: Hub,
  object: KubernetesObject,
  lease: Lease,
  manager: string,
): Promise<KubernetesObject> =>
  hasFinalizer(object) ? object : change(hub, object, lease, manager, before => [...before, finalizer])

/** Lets the object go. */
export const removeFinalizer = async (
  hub: Hub,
  object: KubernetesObject,
  lease: Lease,
  manager: string,
): Promise<void> => {
  await change(hub, object, lease, manager, before => before.filter(name => name !== finalizer))
}

/** Changes the list as it is when it is written, so that others' finalizers are never lost. */
const change = async (
  hub: Hub,
  object: KubernetesObject,
  lease: Lease,
  manager: string,
  edit: (finalizers: readonly string[]) => readonly string[],
): Promise<KubernetesObject> => {
  for (let current = object; ; ) {
    const finalizers = edit(current.metadata.finalizers ?? [])
    try {
      const metadata = { ...current.metadata, finalizers }
      return await hub.update({ ...current, metadata }, { fieldManager: manager, fence: lease })
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'Conflict')) throw error
      const latest = await hub.get<KubernetesObject>(refOf(object))
      if (!latest) throw new ObjectGone(error.message)
      if (latest.metadata.resourceVersion === current.metadata.resourceVersion) throw new LeaseLost(lease)
      current = latest
    }
  }
}
