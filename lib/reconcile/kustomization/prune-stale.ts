import type { ChangeSet } from '../../apply/change-set.ts'
import { describeChange } from '../../apply/change-set.ts'
import { describePruneFailures, prune } from '../../apply/prune.ts'
import type { InventoryEntry } from '../../kinds/kustomization.ts'
import { inventoryDifference, inventoryUnion } from '../../rules/inventory.ts'
import { inventoryAfter } from './apply-manifests.ts'
import { progressEvent } from './events.ts'
import { ownerOf } from './owner.ts'
import type { Run } from './run.ts'
import { inventoryOf, runFailure } from './run.ts'

/**
 * Deletes what has left the build. Resolves with the inventory from now on; when objects can't be deleted, halts and
 * keeps them in it.
 */
export const pruneStale = async (run: Run, changes: ChangeSet): Promise<readonly InventoryEntry[]> => {
  const { kustomization, pass, cluster, revision } = run
  const applied = inventoryAfter(changes)
  const stale = kustomization.spec.prune ? inventoryDifference(inventoryOf(kustomization), applied) : []
  if (stale.length === 0) return applied
  const pruned = await prune(cluster, stale, { owner: ownerOf(kustomization), signal: pass.signal })
  if (pruned.failures.length > 0) {
    const survivors = pruned.failures.map(({ entry }) => entry)
    throw runFailure(run, 'PruneFailed', describePruneFailures(pruned.failures), {
      status: { inventory: { entries: inventoryUnion(applied, survivors) } },
    })
  }
  pass.event(progressEvent(pruned.changes.map(describeChange).join('\n'), revision))
  return applied
}
