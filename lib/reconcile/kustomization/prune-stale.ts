import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeChange } from '../../clusters/apply/change-set.ts'
import { describePruneFailures, prune } from '../../clusters/apply/prune.ts'
import { deletionProtected } from '../../clusters/client/protecting-client.ts'
import type { InventoryEntry } from '../../foundations/kinds/kustomization.ts'
import { inventoryUnion } from '../../foundations/rules/inventory.ts'
import type { Held } from '../../foundations/rules/prune-guard.ts'
import { type PruneRules, withHubLimit } from '../../foundations/rules/prune-rules.ts'
import { inventoryAfter } from '../applied-objects/apply-objects.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { holdBack as holdBackDeletions, splitRemoved } from '../guard/prune-guard.ts'
import type { Context } from './context.ts'
import { eventMetadata, progressEvent } from './events.ts'
import type { KustomizationRun } from './run.ts'
import { runFailure } from './run.ts'

interface Leave {
  readonly rules: PruneRules
  /** Ids of objects whose deletion was approved with the plan. */
  readonly planned?: ReadonlySet<string> | undefined
}

/** The deletions that wait for approval. */
export const holdBack = async (
  run: KustomizationRun,
  built: readonly InventoryEntry[],
  { rules, planned }: Leave,
  { units, settings }: Pick<Context, 'units' | 'settings'>,
): Promise<Held | undefined> => {
  const { applier: kustomization, revision } = run
  if (!kustomization.spec.prune || !settings.pruneGuard) return undefined
  const metadata = eventMetadata(revision)
  const options = { owner: run.owner, built, units, rules: withHubLimit(rules, settings), metadata }
  return holdBackDeletions(run, { ...options, ...(planned && { approvedIds: planned }) })
}

/** The state after the deletion of objects that are no longer in the build. */
export interface Pruned {
  /** The new inventory. */
  readonly entries: readonly InventoryEntry[]
  /** Those that wait for a time at which they may be deleted; they stay in the inventory. */
  readonly postponed: readonly InventoryEntry[]
}

/**
 * Deletes objects that are no longer in the build, unless `isHeld`: then they wait. If objects can't be deleted, halts and keeps them in the
 * inventory.
 */
export const pruneStale = async (
  run: KustomizationRun,
  changes: ChangeSet,
  held: Held | undefined,
  isHeld: boolean,
): Promise<Pruned> => {
  const { applier: kustomization, pass, cluster, revision } = run
  const applied = inventoryAfter(changes)
  if (!kustomization.spec.prune) return { entries: inventoryUnion(applied, []), postponed: [] }
  const { stale, waiting } = splitRemoved(inventoryOf(kustomization), applied, held)
  const left = inventoryUnion(applied, waiting)
  if (isHeld) return { entries: inventoryUnion(left, stale), postponed: stale }
  if (stale.length === 0) return { entries: left, postponed: [] }
  pass.note({ phase: 'Prune' })
  const pruned = await prune(cluster, stale, { owner: run.owner, signal: pass.signal })
  pass.note({ changes: pruned.changes })
  if (pruned.failures.length > 0) {
    const survivors = pruned.failures.map(({ entry }) => entry)
    const reason = pruned.failures.some(({ isProtected }) => isProtected) ? deletionProtected : 'PruneFailed'
    throw runFailure(run, reason, describePruneFailures(pruned.failures), {
      status: { inventory: { entries: inventoryUnion(left, survivors) } },
    })
  }
  pass.event(progressEvent(pruned.changes.map(describeChange).join('\n'), revision))
  return { entries: left, postponed: [] }
}
