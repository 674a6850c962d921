import { isOwnedBy, type Owner } from '../../clusters/apply/owner.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { parseInventoryId } from '../../foundations/rules/inventory.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import { Halt } from '../runtime/halt.ts'

/** Writes the objects of an instance on the hub. */
export interface SyncWriter {
  /** Creates or changes objects. Ends the pass as failed if the hub refuses one. */
  apply(objects: readonly KubernetesObject[]): Promise<void>
  /** Deletes objects, unless they have another owner by now. What their Kustomization has applied stays. */
  release(owner: Owner, entries: readonly InventoryEntry[]): Promise<void>
}

const fieldManager = 'flux-operator'

/** Writes with server-side apply under flux-operator's field manager, and takes fields over from others. */
export const syncWriter = (hub: Pick<Hub, 'get' | 'patch' | 'delete'>): SyncWriter => ({
  async apply(objects) {
    for (const object of objects)
      await hub.patch(refOf(object), { type: 'apply', object }, { fieldManager, force: true }).catch(refused)
  },
  async release(owner, entries) {
    for (const ref of entries.map(({ id }) => parseInventoryId(id))) {
      const object = await hub.get(ref)
      if (!object || !isOwnedBy(object, owner)) continue
      if (ref.kind === 'Kustomization') {
        const patch = { spec: { deletionPolicy: 'Orphan' } }
        await hub.patch(ref, { type: 'merge', patch }, { fieldManager })
      }
      await hub.delete(ref, { uid: object.metadata.uid! })
    }
  },
})

const refused = (error: unknown): never => {
  if (!(error instanceof ApiError)) throw error
  const message = `spec.sync: ${errorMessage(error)}`
  throw new Halt({ type: 'failed', reason: 'ReconciliationFailed', message, cause: error })
}
