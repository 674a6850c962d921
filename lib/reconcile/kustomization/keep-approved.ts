import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import type { Restraint } from '../windows/restraint.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Context } from './context.ts'
import { orFailure } from './failure.ts'
import type { KustomizationRun } from './run.ts'
import { fromStored, type Wanted } from './wanted.ts'

type KeepPorts = Pick<Context, 'units' | 'builds'>

const awaitingReasons: readonly string[] = ['ApprovalRequired', 'PlanRejected']

/**
 * Notes what a unit may apply without another approval, and stores it unless it is stored for an undo. Called after every pass that has applied everything, of a
 * unit whose changes need approval.
 */
export const rememberApproved = async (
  { applier: unit, digest: build, revision, pass }: KustomizationRun,
  manifests: Manifests,
  { units, builds }: KeepPorts,
): Promise<void> => {
  const { approved: before, kept = [], ...facts } = await units.read(unit)
  const generation = unit.metadata.generation ?? 0
  if (before?.isStored && before.build === build && before.generation === generation) return
  if (pass.dryRun) return // the next pass keeps it
  const isKept = (digest: string) => kept.some(one => one.digest === digest)
  if (!isKept(build)) await builds.put(unit, { revision, manifests })
  await units.write(unit, { ...facts, kept, approved: { build, generation, isStored: true } })
  if (before && before.build !== build && !isKept(before.build)) await builds.delete(unit, before.build)
}

/**
 * While a change waits for approval, the cluster is kept as it was approved last: those manifests are applied again by each pass, unless the spec has changed. Not by the
 * pass that begins to wait: the one before has left everything in order, and a push that is planned for hundreds of units would otherwise cost twice.
 */
export const keepApproved = async (
  outcome: Outcome<Kustomization>,
  unit: Kustomization,
  {
    restraint: { approval, ...restraint },
    apply,
    pass,
  }: {
    readonly restraint: Restraint
    readonly apply: (wanted: Wanted, restraint: Restraint) => Promise<Outcome<Kustomization>>
    readonly pass: Pick<Pass<Kustomization>, 'signal'>
  },
  { units, builds }: KeepPorts,
): Promise<Outcome<Kustomization>> => {
  if (outcome.type !== 'held' || !awaitingReasons.includes(outcome.reason) || beginsToWait(unit)) return outcome
  const { approved } = await units.read(unit)
  const stored = approved && (await orFailure('ArtifactFailed', pass.signal, () => builds.get(unit, approved.build)))
  if (!stored) return outcome
  const hold = { reason: 'ApprovalRequired', why: outcome.message } as const
  const holds = { ...restraint.holds, Changes: hold, Deletions: hold }
  const kept = await apply(fromStored(stored), { ...restraint, holds })
  if (kept.type === 'held') return outcome
  const waiting = outcome.conditions?.[waitingCondition]
  return { ...kept, conditions: { ...kept.conditions, ...(waiting && { [waitingCondition]: waiting }) } }
}

/** Up to now it was in order, and nothing has waited. */
const beginsToWait = ({ status }: Kustomization): boolean =>
  isConditionTrue(status?.conditions, 'Ready') &&
  !awaitingReasons.includes(conditionOf(status?.conditions, waitingCondition)?.reason ?? '')
