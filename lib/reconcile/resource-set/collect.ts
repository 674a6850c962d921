import { describePruneFailures } from '../../clusters/apply/prune.ts'
import { deletionProtected } from '../../clusters/client/protecting-client.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { inventoryEntry, inventoryUnion } from '../../foundations/rules/inventory.ts'
import type { Held } from '../../foundations/rules/prune-guard.ts'
import { withHubLimit } from '../../foundations/rules/prune-rules.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { holdBack, splitRemoved } from '../guard/prune-guard.ts'
import { Halt } from '../runtime/halt.ts'
import type { Restraint } from '../windows/restraint.ts'
import type { Applied } from './apply-steps.ts'
import { collectGarbage } from './collect-garbage.ts'
import type { Context } from './context.ts'
import { changesEvent } from './events.ts'
import { applicable } from './prepare.ts'
import { orRunFailure, type ResourceSetRun, runFailure } from './run.ts'

/** The deletions that wait for approval; `approvedIds` were approved with the rest of the change. */
export const heldOf = async (
  run: ResourceSetRun,
  { pruneRules, approvalPolicy: policy }: Restraint,
  approvedIds: ReadonlySet<string> | undefined,
  { units, settings, references }: Context,
): Promise<Held | undefined> => {
  if (!settings.pruneGuard) return undefined
  const built = await orRunFailure(run, () => run.steps.flatMap(step => applicable(step.objects)).map(inventoryEntry))
  const rules = withHubLimit(pruneRules, settings)
  const options = { owner: run.owner, built, units, rules, approvedIds, decisions: { references, policy } }
  return orRunFailure(run, () => holdBack(run, options))
}

export interface Collected extends Applied {
  /** Objects that wait for a time at which they may be deleted. */
  readonly postponed: readonly InventoryEntry[]
}

/**
 * Deletes objects that are no longer rendered, unless `isHeld`, or others than those in `allowed` would be: then they wait. Reports all changes. Halts if objects can't be deleted, or not yet.
 * Resolves to the new inventory.
 */
export const collect = async (
  run: ResourceSetRun,
  applied: Applied,
  held: Held | undefined,
  { isHeld, allowed }: { readonly isHeld: boolean; readonly allowed: ReadonlySet<string> | undefined },
): Promise<Collected> => {
  const { applier: set, pass, cluster, clock } = run
  const gone = splitRemoved(inventoryOf(set), applied.entries, held)
  const waits = isHeld || gone.stale.some(({ id }) => allowed?.has(id) === false)
  const [postponed, stale] = waits ? [gone.stale, []] : [[], gone.stale]
  const entries = inventoryUnion(applied.entries, [...gone.waiting, ...postponed])
  const collected = await orRunFailure(run, () => collectGarbage(cluster, run.owner, stale, clock, pass.signal))
  if (!collected.isWaiting) pass.note({ changes: collected.changes })
  const event = changesEvent(applied.changes, collected.isWaiting ? [] : collected.changes)
  if (event) pass.event(event)
  if (collected.failures.length > 0) {
    const survivors = collected.failures.map(({ entry }) => entry)
    const left = collected.isWaiting ? stale : survivors
    const isProtected = collected.failures.some(failure => failure.isProtected)
    throw runFailure(run, describePruneFailures(collected.failures), {
      ...(isProtected && { reason: deletionProtected }),
      status: { inventory: { entries: inventoryUnion(entries, left) } },
    })
  }
  if (!collected.isWaiting) return { ...applied, entries, postponed }
  const inventory = { entries: inventoryUnion(entries, stale) }
  throw new Halt<ResourceSet>({ type: 'waiting', afterMs: 1_000, status: { inventory } })
}
