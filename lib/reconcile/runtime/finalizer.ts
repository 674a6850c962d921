import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import { LeaseLost } from '../../platform/ports/leases.ts'
import { ObjectGone } from './status-writer.ts'

/** Keeps a deleted object in the hub until its reconciler has cleaned up. */
export const finalizerOf = ({ finalizer = 'finalizers.fluxcd.io' }: { readonly finalizer?: string }): string =>
  finalizer

export const hasFinalizer = (object: KubernetesObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false

/** The name of a finalizer, and the field manager that writes it. */
interface Keeper {
  readonly finalizer?: string
  readonly manager: string
}

/** Adds the finalizer and returns the stored object. */
export const addFinalizer = async (
  hub: Hub,
  object: KubernetesObject,
  lease: Lease,
  keeper: Keeper,
): Promise<KubernetesObject> => {
  const finalizer = finalizerOf(keeper)
  if (hasFinalizer(object, finalizer)) return object
  return change(hub, object, lease, keeper.manager, before => [...before, finalizer])
}

/** Removes the finalizer, so that the object can be deleted. */
export const removeFinalizer = async (
  hub: Hub,
  object: KubernetesObject,
  lease: Lease,
  keeper: Keeper,
): Promise<void> => {
  const finalizer = finalizerOf(keeper)
  await change(hub, object, lease, keeper.manager, before => before.filter(name => name !== finalizer))
}

/** Patches the current list of finalizers, so that those of other controllers are never lost. */
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
      if (error instanceof ApiError && error.reason === 'NotFound') throw new ObjectGone(error.message)
      if (!(error instanceof ApiError && error.reason === 'Conflict')) throw error
      const latest = await hub.get<KubernetesObject>(refOf(object))
      if (!latest) throw new ObjectGone(error.message)
      if (latest.metadata.resourceVersion === current.metadata.resourceVersion) throw new LeaseLost(lease)
      current = latest
    }
  }
}
