import { type ApplyAllOptions, type ApplyResult, applyAll } from '../../clusters/apply/apply-all.ts'
import { ApplyError } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeHealth, type Health } from '../../clusters/apply/health.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { type KubernetesObject, versionOf } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { inventoryId, inventoryUnion } from '../../foundations/rules/inventory.ts'
import { elapsedSince } from '../../foundations/rules/schedule.ts'
import { Halt } from '../runtime/halt.ts'
import type { Applier, ApplierRun } from './run.ts'

/** When to check definitions again that are not ready yet, in milliseconds. */
const definitionPollMs = 2_000

/** How a kind applies its objects. */
export interface ApplyRules extends Omit<ApplyAllOptions, 'recorded' | 'clock' | 'signal'> {
  /** What this run and earlier ones have applied. */
  readonly applied: readonly InventoryEntry[]
  /** Returns the error that ends the run when the cluster refused objects. `status` has the new inventory. */
  refused(error: ApplyError, status: { readonly inventory?: Inventory | null }): Error | Promise<Error>
}
type Inventory = { readonly entries: readonly InventoryEntry[] }

/**
 * Applies the built objects. If the cluster refuses some, those already written stay in the inventory. If more may have been written, the
 * inventory that was recorded before the apply stays unchanged.
 */
export const applyObjects = <T extends Applier>(
  { applier, pass, cluster, clock }: ApplierRun<T>,
  objects: readonly KubernetesObject[],
  { applied, refused, ...options }: ApplyRules,
): Promise<ApplyResult> => {
  const recorded = new Set(applied.map(({ id }) => id))
  return applyAll(cluster, objects, { ...options, recorded, clock, signal: pass.signal }).catch(async error => {
    pass.signal.throwIfAborted()
    if (!(error instanceof ApplyError)) throw error
    if (error.failures.some(({ written }) => written)) throw await refused(error, {})
    const entries = inventoryUnion(applied, inventoryAfter(error.changes))
    throw await refused(error, { inventory: entries.length > 0 ? { entries } : (applier.status?.inventory ?? null) })
  })
}

/** What was applied, for the inventory. Skipped objects count: they may have been applied before. */
export const inventoryAfter = (changes: ChangeSet): readonly InventoryEntry[] =>
  changes.map(({ ref, apiVersion }) => ({ id: inventoryId(ref), v: versionOf(apiVersion) }))

/** Halts while definitions are not ready: a later pass applies the rest. Throws the error of `timedOut` once the timeout has passed. */
export const requireDefinitions = <T extends Applier>(
  { applier, clock }: ApplierRun<T>,
  waitingFor: readonly Health[],
  timeoutMs: number,
  timedOut: (message: string) => Error,
): void => {
  if (waitingFor.length === 0) return
  const ready = conditionOf(applier.status?.conditions, 'Ready')
  const since = ready?.status === 'Unknown' ? Date.parse(ready.lastTransitionTime) : clock.now()
  if (elapsedSince(since, clock.now()) < timeoutMs) throw new Halt<T>({ type: 'waiting', afterMs: definitionPollMs })
  throw timedOut(`timeout waiting for: [${waitingFor.map(describeHealth).join(', ')}]`)
}
