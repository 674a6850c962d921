import type { Snapshot } from '../../foundations/kinds/applied.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { SealedBuilds } from '../kept-builds/sealed-builds.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import type { ApprovedBuild, UnitMemory } from '../runtime/unit-memory.ts'
import { withGeneration } from '../runtime/with-generation.ts'
import type { Restraint } from '../windows/restraint.ts'

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

type Unit = KubernetesObject & WithConditions & { readonly status?: { readonly history?: readonly Snapshot[] } }

interface AppliedBuild<T extends Unit> {
  readonly unit: T
  readonly digest: string
  readonly pass: Pick<Pass<T>, 'dryRun'>
  /** Stores it. */
  put(): Promise<void>
}

interface RememberPorts {
  readonly units: Pick<UnitMemory, 'read' | 'write'>
  readonly builds: Pick<SealedBuilds<unknown>, 'delete'>
}

/**
 * Notes what a unit may apply without another approval, and stores it in place of the one before, unless it is stored for an undo. Called after every
 * pass that has applied everything, of a unit whose changes need approval.
 */
export const rememberApproved = async <T extends Unit>(
  { unit, digest: build, pass, put }: AppliedBuild<T>,
  { units, builds }: RememberPorts,
): Promise<void> => {
  const { approved, stored, kept = [], ...facts } = await units.read(unit)
  const generation = unit.metadata.generation ?? 0
  const isNoted = approved?.build === build && approved.generation === generation
  if (isNoted && stored === build) return
  if (pass.dryRun) return // the next pass keeps it
  const isKept = (digest: string) => kept.some(one => one.digest === digest)
  if (!isNoted || !isKept(build)) await put() // with the spec of this generation
  const signed = approved?.build === build ? approved.signed : undefined
  await units.write(unit, { ...facts, kept, approved: { build, generation, ...(signed && { signed }) }, stored: build })
  if (stored && stored !== build && !isKept(stored)) await builds.delete(unit, stored)
}

const awaitingReasons: readonly string[] = ['ApprovalRequired', 'PlanRejected']

/**
 * While a change waits for approval, the cluster is kept as it was approved last: each pass applies that again, and deletes nothing. Not the pass that begins to
 * wait: the one before has left everything in order, and a push that is planned for hundreds of units would otherwise cost twice. `apply` resolves to undefined
 * if the build is not stored, or may not be applied any more.
 */
export const keepApproved = async <T extends Unit>(
  outcome: Outcome<T>,
  unit: T,
  { approval: _, ...restraint }: Restraint,
  apply: (approved: ApprovedBuild, restraint: Restraint) => Promise<Outcome<T> | undefined>,
  units: Pick<UnitMemory, 'read'>,
): Promise<Outcome<T>> => {
  if (outcome.type !== 'held' || !awaitingReasons.includes(outcome.reason) || beginsToWait(unit)) return outcome
  const { approved } = await units.read(unit)
  // Something else was applied since, while nothing had to be approved.
  if (!approved || approved.build !== unit.status?.history?.[0]?.digest) return outcome
  const hold = { reason: 'ApprovalRequired', why: outcome.message } as const
  const holds = { ...restraint.holds, Changes: hold, Deletions: hold }
  const kept = await apply(approved, { ...restraint, holds, isRepair: true })
  if (!kept) return outcome
  const conditions = { ...kept.conditions, ...outcome.conditions }
  return kept.type === 'held'
    ? { ...outcome, conditions }
    : { ...withGeneration(kept, approved.generation), conditions }
}

/** Up to now it was in order, and nothing has waited. */
export const beginsToWait = ({ status }: WithConditions): boolean =>
  isConditionTrue(status?.conditions, 'Ready') &&
  !awaitingReasons.includes(conditionOf(status?.conditions, waitingCondition)?.reason ?? '')
