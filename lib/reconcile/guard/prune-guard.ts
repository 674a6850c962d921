import { deletionContents } from '../../clusters/apply/deletion-contents.ts'
import type { Owner } from '../../clusters/apply/owner.ts'
import { type Deletable, deletableOf } from '../../clusters/apply/prune.ts'
import { allowPruneAnnotation, type InventoryEntry, pruneGuarded } from '../../foundations/kinds/applied.ts'
import { type Approval, approval as approvalKind, type SubjectKind } from '../../foundations/kinds/approval.ts'
import { describeRef, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { pruneAnnotation, requiresConfirmation } from '../../foundations/kinds/prune-limit.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { ApprovalPolicy } from '../../foundations/rules/approvals.ts'
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
import type { References } from '../../hub/references/references.ts'
import { type Applier, type ApplierRun, inventoryOf } from '../applied-objects/run.ts'
import type { Failed, StatusChange } from '../runtime/reconciler.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import { clusterChanged } from './cluster-guard.ts'

/** Where the decisions of users about a list are, and whose count. */
export interface DecisionPorts {
  readonly references: Pick<References, 'localList'>
  readonly policy: ApprovalPolicy | undefined
  /** Of the revision. */
  readonly author?: string | undefined
}

/** What the guard needs besides the run. */
interface GuardContext {
  readonly owner: Owner
  readonly units: UnitMemory
  /** What the unit and what is around it say about deletions, the hub's own limit first. */
  readonly rules: PruneRules
  /** Inventory ids whose deletion was approved otherwise. */
  readonly approvedIds?: ReadonlySet<string>
  readonly decisions: DecisionPorts
  /** Metadata of the event. */
  readonly metadata?: Readonly<Record<string, string>>
}

export interface GuardOptions extends GuardContext {
  /** The objects in the build. */
  readonly built: readonly InventoryEntry[]
  /** Inventory ids that another unit has by now. */
  readonly moved?: ReadonlySet<string>
}

/** What the guard needs of a run. */
export type GuardedRun<T extends Applier> = Pick<ApplierRun<T>, 'applier' | 'pass' | 'cluster' | 'clock'>

/**
 * Decides which deletions of a pass wait for approval, and stores that before the pass records or writes anything else: after a crash, the
 * next pass knows that they wait. Sends requests only if something has left the build. Emits one event per list.
 */
export const holdBack = async <T extends Applier>(
  run: GuardedRun<T>,
  { built, moved, ...context }: GuardOptions,
): Promise<Held | undefined> => {
  const recorded = inventoryOf(run.applier).filter(({ id }) => !moved?.has(id))
  const stale = inventoryDifference(recorded, built)
  const options = { owner: context.owner, signal: run.pass.signal }
  const deletable = stale.length === 0 ? [] : await deletableOf(run.cluster, stale, options)
  return holdDeletions(run, { deletable, recorded, built, kept: recorded.length - stale.length }, context)
}

/** What a pass would delete. */
export interface Deletions {
  readonly deletable: readonly Deletable[]
  /** What the unit has applied so far. */
  readonly recorded: readonly InventoryEntry[]
  readonly built: readonly InventoryEntry[]
  /** Number of `recorded` that are in the build. */
  readonly kept: number
}

/** Decides which of these deletions wait; see `holdBack`. */
export const holdDeletions = async <T extends Applier>(
  { applier, pass, cluster, clock }: GuardedRun<T>,
  { deletable, recorded, built, kept }: Deletions,
  { owner, units, rules, approvedIds, decisions, metadata }: GuardContext,
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
    const entries = deletable.map(({ entry }) => entry)
    const known = new Set([...recorded, ...built].map(({ id }) => id))
    const { lost, inside } = await deletionContents(cluster, entries, { owner, signal: pass.signal, known })
    const reasons = new Map([...reasonsToConfirm(deletable, rules), ...lost])
    const found: GuardInput = {
      ...{ deletable: entries.map(({ id }) => id), kept, built: built.length, reasons, inside },
      ...{ limits: rules.limits, memory: before, approvedIds },
    }
    const undecided = guardDeletions(found)
    if (!undecided.held) return undecided
    const { references, policy, author } = decisions
    const approvals = await references.localList<Approval>(applier, approvalKind)
    const subject = { kind: applier.kind as SubjectKind, name: applier.metadata.name }
    return guardDeletions({
      ...found,
      approval: applier.metadata.annotations?.[allowPruneAnnotation],
      decisions: { approvals, subject, policy, author, now: clock.now() },
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

/** The maximum number of objects that a message names. */
const maxNamed = 40

/** The list, why it waits, and the command that approves exactly this list. */
export const describeHeld = (unit: KubernetesObject, { ids, digest, reasons, decision }: Held): string => {
  const { kind, metadata } = unit
  const names = ids.slice(0, maxNamed).map(id => describeRef(parseInventoryId(id)))
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''
  const approval = unit.metadata.annotations?.[allowPruneAnnotation]
  const other =
    approval && !decision && approvedDigest(approval) !== digest
      ? `; annotation ${allowPruneAnnotation} names another list, ${approvedDigest(approval).slice(0, 80)}`
      : ''
  return (
    `${ids.length} ${ids.length === 1 ? 'deletion waits' : 'deletions wait'} for approval (${reasons.join('; ')}): ` +
    `${names.join(', ')}${more}; ${describeDecision(decision)}: keelson ${decision ? 'approve' : 'allow-prune'} ` +
    `${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace} --digest ${digest}${other}`
  )
}

/** What is left to do, before the command. */
const describeDecision = (decision: Held['decision']): string => {
  switch (decision?.state) {
    case undefined:
      return 'to delete exactly these, run'
    case 'Rejected': {
      const { rejectedBy, comment } = decision
      return `${rejectedBy} has rejected this list${comment ? ` (${comment.slice(0, 200)})` : ''}; to delete it after all, they run`
    }
    case 'Waiting': {
      const { approvedBy, missing } = decision
      const so = approvedBy.length > 0 ? `${approvedBy.join(', ')} approved; ` : ''
      return `${so}to delete exactly these, ${missing === 1 ? 'a user runs' : `${missing} users run`}`
    }
  }
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
