import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { describeRef } from '../../foundations/kinds/object.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { limiter } from '../client/limiter.ts'
import { isOwnedBy, type Owner, ownerLabels } from './owner.ts'
import type { PruneFailure } from './prune.ts'
import { servedVersion } from './served-version.ts'

/** One owner's objects that another one takes over. */
export interface HandOver {
  readonly from: Owner
  readonly to: Owner
  readonly fieldManager: string
  readonly signal: AbortSignal
}

const maxConcurrency = 16

/**
 * Labels objects with another owner, who prunes them from then on. Those that are gone, or already have another owner, are left as they are. Resolves to what the
 * cluster refused.
 */
export const handOver = async (
  cluster: ClusterClient,
  entries: readonly InventoryEntry[],
  { from, to, fieldManager, signal }: HandOver,
): Promise<readonly PruneFailure[]> => {
  const limited = limiter(maxConcurrency)
  const one = async (entry: InventoryEntry): Promise<PruneFailure | undefined> => {
    const { apiVersion, ref } = inventoryObject(entry)
    try {
      const version = await servedVersion(cluster, apiVersion, ref, signal)
      const live = version && (await cluster.get(version, ref, { metadataOnly: true, signal }))
      if (!live || !isOwnedBy(live, from)) return undefined
      const patch = { metadata: { uid: live.metadata.uid, labels: ownerLabels(to) } }
      await cluster.patch(version, ref, { type: 'merge', patch }, { fieldManager, signal })
      return undefined
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      const { message, outage } = error
      return { entry, message: `${describeRef(ref)} hand-over failed: ${message}`, ...(outage && { outage }) }
    }
  }
  const failures = await Promise.all(entries.map(entry => limited(() => one(entry), signal)))
  return failures.filter(failure => failure !== undefined)
}
