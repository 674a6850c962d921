import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeChange } from '../../clusters/apply/change-set.ts'
import { describePruneFailures, prune } from '../../clusters/apply/prune.ts'
import type { InventoryEntry } from '../../foundations/kinds/kustomization.ts'
import { inventoryDifference, inventoryUnion } from '../../foundations/rules/inventory.ts'
import type { Held } from '../../foundations/rules/prune-guard.ts'
import { describeHeld, guardPrune, pruneGuarded } from '../guard/prune-guard.ts'
import { inventoryAfter } from './apply-manifests.ts'
import type { Context } from './context.ts'
import { eventMetadata, progressEvent } from './events.ts'
import { ownerOf } from './owner.ts'
import type { Run } from './run.ts'
import { inventoryOf, runFailure } from './run.ts'

/** The deletions that wait for approval; people are told of each list once. */
export const holdBack = async (
  { kustomization, pass, cluster, revision }: Run,
  built: readonly InventoryEntry[],
  { units, settings }: Pick<Context, 'units' | 'settings'>,
): Promise<Held | undefined> => {
  if (!kustomization.spec.prune || !settings.pruneGuard) return undefined
  const recorded = inventoryOf(kustomization)
  const request = { unit: kustomization, owner: ownerOf(kustomization), cluster, recorded, built, signal: pass.signal }
  const { held, isNew } = await guardPrune(request, units)
  if (held && isNew) {
    const message = describeHeld(kustomization, held)
    pass.event({ severity: 'error', reason: pruneGuarded, message, metadata: eventMetadata(revision) })
  }
  return held
}

/**
 * Deletes what has left the build. Resolves with the inventory from now on; when objects can't be deleted, halts and
 * keeps them in it.
 */
export const pruneStale = async (
  run: Run,
  changes: ChangeSet,
  held: Held | undefined,
): Promise<readonly InventoryEntry[]> => {
  const { kustomization, pass, cluster, revision } = run
  const gone = kustomization.spec.prune ? inventoryDifference(inventoryOf(kustomization), inventoryAfter(changes)) : []
  const isHeld = new Set(held?.ids)
  const waiting = gone.filter(({ id }) => isHeld.has(id))
  const stale = gone.filter(({ id }) => !isHeld.has(id))
  const applied = inventoryUnion(inventoryAfter(changes), waiting)
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
