import type { Disclosure } from '../../clusters/apply/field-diff.ts'
import type { PlannedChanges } from '../../clusters/apply/planned-changes.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { policyDenied } from '../../foundations/kinds/change-policy.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { planApprovalOf } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { wasScheduled } from '../../foundations/rules/proposed-plan.ts'
import { judgeChanges, strictestApproval } from '../policies/judge-changes.ts'
import { policiesOf } from '../policies/policies-of.ts'
import type { Held, Pass } from '../runtime/reconciler.ts'
import type { UnitFacts, UnitMemory } from '../runtime/unit-memory.ts'
import { wasApplied } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { awaiting } from '../windows/waiting.ts'
import { decideAbout, markApplied, markBegunApplied, type PlanPorts, takeScheduled } from './plan-book.ts'

/** What a pass may apply. */
export interface Clearance<T extends KubernetesObject> {
  /** The outcome of a pass that must wait. */
  readonly waiting?: Held<T>
  /** Inventory ids of objects whose deletion was approved. */
  readonly deletions?: ReadonlySet<string>
  /** Policies have judged the change: a later one may need an approval because of them. */
  readonly isJudged?: boolean
  /** Called once everything is applied. */
  applied?(): Promise<void>
}

type Unit = Parameters<typeof wasApplied>[0]

/** A build that a unit is about to apply. */
export interface ChangeToClear<T extends Unit> {
  readonly unit: T
  readonly pass: Pick<Pass<T>, 'dryRun' | 'event' | 'note'>
  readonly cluster: ClusterClient
  readonly reference?: TargetReference | undefined
  /** Digest of the build. */
  readonly digest: string
  readonly revision: string
  /** Of the revision. */
  readonly author?: string | undefined
  readonly disclosure: Disclosure
  /** What applying it would change. */
  plan(): Promise<PlannedChanges>
  /** The end of a pass that may not apply it. */
  failure(reason: string, message: string): Error
}

/**
 * Whether a pass may apply a build, by the policies of the hub and what users must approve. A change that needs approval is planned, and waits until the plan is approved: as long as that plan would
 * still be made today. A change whose apply has begun is completed, and drift is corrected, without another plan.
 */
export const clearChange = async <T extends Unit>(
  { unit, pass, cluster, reference, digest, revision, author, disclosure, plan, failure }: ChangeToClear<T>,
  restraint: Restraint,
  ports: PlanPorts & { readonly units: UnitMemory },
): Promise<Clearance<T>> => {
  const isProposed = restraint.approval?.onPlan !== undefined
  if (!isProposed && wasApplied(unit, digest, restraint)) {
    if (wasScheduled(unit) && !pass.dryRun) await takeScheduled(unit, '', ports)
    return {}
  }
  const unasked = () => scheduled({ unit, pass, digest }, ports)
  const policies = await policiesOf(unit, restraint, ports.references)
  if (!restraint.approval && policies.length === 0) return unasked()
  const facts = await ports.units.read(unit)
  if (!isProposed && isCleared(unit, digest, facts)) {
    const begun = facts.approved?.plan
    pass.note({ plan: begun })
    return begun ? { applied: () => markBegunApplied(unit, begun.name, ports) } : {}
  }
  const planned = await plan()
  // As the apply would fail: with `on-refusal: continue`, that would apply the rest.
  const [refusal] = planned.failures
  if (refusal) throw failure('ReconciliationFailed', planned.failures.map(({ message }) => message).join('\n'))
  const verdict = await judgeChanges(policies, { unit, planned, disclosure, restraint }, cluster)
  if (verdict.denied !== undefined) throw failure(policyDenied, verdict.denied)
  const required = strictestApproval(restraint.approval, verdict.approval)
  const isJudged = policies.length > 0
  if (!required) return { ...(await unasked()), isJudged }
  const removed = planned.changes.filter(({ action }) => action === 'deleted' || action === 'recreated')
  if (required.of === 'Deletions' && removed.length === 0) return { ...(await unasked()), isJudged }
  const decision = await decideAbout(
    {
      ...{ unit, cluster: reference, revision, author, manifests: digest, planned },
      ...{ disclosure, required, isDryRun: pass.dryRun !== undefined },
    },
    ports,
  )
  if (decision.type !== 'approved') return { waiting: awaiting(unit, decision, pass) }
  const approved = planApprovalOf(decision.plan)
  pass.note({ plan: approved })
  await ports.units.write(unit, {
    ...facts,
    approved: { build: digest, generation: generationOf(unit), plan: approved },
  })
  return {
    isJudged,
    deletions: new Set(planned.changes.filter(({ action }) => action === 'deleted').map(({ ref }) => inventoryId(ref))),
    applied: () => markApplied(decision.plan, ports),
  }
}

/** The clearance of a change that needs no approval: if it has waited for a window, it has a plan, which is applied now. */
const scheduled = async <T extends Unit>(
  { unit, pass, digest }: Pick<ChangeToClear<T>, 'unit' | 'pass' | 'digest'>,
  ports: PlanPorts & { readonly units: UnitMemory },
): Promise<Clearance<T>> => {
  if (!wasScheduled(unit) || pass.dryRun) return {}
  const found = await takeScheduled(unit, digest, ports)
  if (!found) return {}
  const plan = planApprovalOf(found)
  pass.note({ plan })
  const facts = await ports.units.read(unit)
  await ports.units.write(unit, { ...facts, approved: { build: digest, generation: generationOf(unit), plan } })
  return { applied: () => markApplied(found, ports) }
}

/** Marks the plan by which an earlier pass has begun to apply the unit, if there was one: its objects are healthy now. */
export const markHealthy = async (unit: KubernetesObject, { approved }: UnitFacts, ports: PlanPorts): Promise<void> => {
  if (approved?.plan && approved.generation === generationOf(unit))
    await markBegunApplied(unit, approved.plan.name, ports)
}

const generationOf = ({ metadata }: KubernetesObject): number => metadata.generation ?? 0

/** Whether the apply of this build, for this spec, has begun with an approval. */
const isCleared = (unit: KubernetesObject, digest: string, { approved }: UnitFacts): boolean =>
  approved?.build === digest && approved.generation === generationOf(unit)
