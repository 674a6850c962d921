import { deletionContents } from '../../clusters/apply/deletion-contents.ts'
import type { Owner } from '../../clusters/apply/owner.ts'
import { type Deletable, deletableOf } from '../../clusters/apply/prune.ts'
import { allowPruneAnnotation, type InventoryEntry, pruneGuarded } from '../../foundations/kinds/applied.ts'
import { describeRef, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { pruneAnnotation, requiresConfirmation } from '../../foundations/kinds/prune-limit.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { inventoryDifference, parseInventoryId } from '../../foundations/rules/inventory.ts'
import {
  approvedDigest,
  type GuardInput,
  type GuardMemory,
  guardDeletions,
  type Held,
} from '../../foundations/rules/prune-guard.ts'
import { confirmedBy, type PruneRules } from '../../foundations/rules/prune-rules.ts'
import { type Applier, type ApplierRun, inventoryOf } from '../applied-objects/run.ts'
import type { Failed, StatusChange } from '../runtime/reconciler.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import { clusterChanged } from './cluster-guard.ts'

/** What the guard needs besides the run. */
export interface GuardOptions {
  readonly owner: Owner
  /** The objects in the build. */
  readonly built: readonly InventoryEntry[]
  readonly units: UnitMemory
  /** What the unit and what is around it say about deletions, the hub's own limit first. */
  readonly rules: PruneRules
  /** Inventory ids that another unit has by now. */
  readonly moved?: ReadonlySet<string>
  /** Inventory ids whose deletion was approved otherwise. */
  readonly approvedIds?: ReadonlySet<string>
  /** Metadata of the event. */
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * Decides which deletions of a pass wait for approval, and stores that before the pass records or writes anything else: after a crash, the
 * next pass knows that they wait. Sends requests only if something has left the build. Emits one event per list.
 */
export const holdBack = async <T extends Applier>(
  { applier, pass, cluster }: ApplierRun<T>,
  { owner, built, units, rules, moved, approvedIds, metadata }: GuardOptions,
): Promise<Held | undefined> => {
  const facts = await units.read(applier)
  const before = facts.guard ?? {}
  const after = await decide()
  if (!isSameJson(after, before)) await units.write(applier, { ...facts, guard: after })
  if (after.held && after.held.digest !== before.held?.digest) {
    const message = describeHeld(applier, after.held)
    pass.event({ severity: 'error', reason: pruneGuarded, message, ...(metadata && { metadata }) })
  }
  return after.held

  async function decide(): Promise<GuardMemory> {
    const recorded = inventoryOf(applier).filter(({ id }) => !moved?.has(id))
    const stale = inventoryDifference(recorded, built)
    if (stale.length === 0) return guardMemoryOf({ deletable: [], kept: 0, reasons: new Map(), inside: new Map() })
    const options = { owner, signal: pass.signal }
    const deletable = await deletableOf(cluster, stale, options)
    const entries = deletable.map(({ entry }) => entry)
    const known = new Set([...recorded, ...built].map(({ id }) => id))
    const { lost, inside } = await deletionContents(cluster, entries, { ...options, known })
    const reasons = new Map([...reasonsToConfirm(deletable, rules), ...lost])
    return guardMemoryOf({
      deletable: entries.map(({ id }) => id),
      kept: recorded.length - stale.length,
      reasons,
      inside,
    })
  }

  function guardMemoryOf(found: Pick<GuardInput, 'deletable' | 'kept' | 'reasons' | 'inside'>): GuardMemory {
    const approval = applier.metadata.annotations?.[allowPruneAnnotation]
    return guardDeletions({
      ...found,
      built: built.length,
      limits: rules.limits,
      memory: before,
      approvedIds,
      approval,
    })
  }
}

/** Why the deletion of an object waits though it would take nothing along: the object, or a rule for its kind, requires approval. */
const reasonsToConfirm = (deletable: readonly Deletable[], rules: PruneRules): readonly (readonly [string, string])[] =>
  deletable.flatMap(({ entry: { id }, live }) => {
    const ref = parseInventoryId(id)
    if (live && requiresConfirmation(live))
      return [[id, `${describeRef(ref)}: annotated with ${pruneAnnotation}: confirm`]]
    const by = confirmedBy(rules, ref)
    return by ? [[id, `${describeRef(ref)}: ${by} requires approval`]] : []
  })

/** The objects that are no longer in the build: `stale` ones are deleted now, `waiting` ones only once they are approved. */
export const splitRemoved = (
  recorded: readonly InventoryEntry[],
  applied: readonly InventoryEntry[],
  held: Held | undefined,
): Readonly<Record<'stale' | 'waiting', readonly InventoryEntry[]>> => {
  const gone = inventoryDifference(recorded, applied)
  const isHeld = new Set(held?.ids)
  return { stale: gone.filter(({ id }) => !isHeld.has(id)), waiting: gone.filter(({ id }) => isHeld.has(id)) }
}

/** The deletions that wait, as decided in this or an earlier pass over the unit. */
export const heldDeletions = async (unit: KubernetesObject, memory: UnitMemory): Promise<Held | undefined> =>
  (await memory.read(unit)).guard?.held

/** The maximum number of objects that a message names. */
const maxNamed = 40

/** The list, why it waits, and the command that approves exactly this list. */
const describeHeld = (unit: KubernetesObject, { ids, digest, reasons }: Held): string => {
  const { kind, metadata } = unit
  const names = ids.slice(0, maxNamed).map(id => describeRef(parseInventoryId(id)))
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''
  const approval = unit.metadata.annotations?.[allowPruneAnnotation]
  const other =
    approval && approvedDigest(approval) !== digest
      ? `; annotation ${allowPruneAnnotation} names another list, ${approvedDigest(approval).slice(0, 80)}`
      : ''
  return (
    `${ids.length} ${ids.length === 1 ? 'deletion waits' : 'deletions wait'} for approval (${reasons.join('; ')}): ` +
    `${names.join(', ')}${more}; to delete exactly these, run: ` +
    `keelson allow-prune ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace} --digest ${digest}${other}`
  )
}

/** The conditions of an applier after a complete run. */
export const guardConditions = (
  applier: Applier,
  held: Held | undefined,
): Readonly<Record<string, NewCondition | null>> => ({
  [pruneGuarded]: held ? { status: 'True', reason: pruneGuarded, message: describeHeld(applier, held) } : null,
  [clusterChanged]: null,
})

/**
 * The outcome of a run with waiting deletions. Everything else is current, but the cluster does not match the source: Ready is False, as
 * after a failed prune.
 */
export const heldOutcome = <T extends Applier>(
  applier: T,
  held: Held,
  afterMs: number,
  status: StatusChange<T>,
): Failed<T> => ({
  type: 'failed',
  reason: pruneGuarded,
  message: describeHeld(applier, held),
  event: null, // see holdBack
  afterMs,
  conditions: guardConditions(applier, held),
  status,
})
