import { planChanges } from '../../clusters/apply/planned-changes.ts'
import { policyDenied } from '../../foundations/kinds/change-policy.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { planApprovalOf } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { wasScheduled } from '../../foundations/rules/proposed-plan.ts'
import { decideAbout, markApplied, markBegunApplied, takeScheduled } from '../approvals/plan-book.ts'
import { judgeChanges, policiesOf, strictestApproval } from '../policies/judge-changes.ts'
import type { Held } from '../runtime/reconciler.ts'
import type { UnitFacts } from '../runtime/unit-memory.ts'
import { wasApplied } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { awaiting } from '../windows/waiting.ts'
import { applyRules, fieldManager } from './apply-manifests.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Locate } from './build/locate.ts'
import type { Context } from './context.ts'
import type { KustomizationRun } from './run.ts'
import { runFailure } from './run.ts'

/** What a pass may apply. */
export interface Clearance {
  /** The outcome of a pass that must wait. */
  readonly waiting?: Held<Kustomization>
  /** Inventory ids of objects whose deletion was approved. */
  readonly deletions?: ReadonlySet<string>
  /** Policies have judged the change: a later one may need an approval because of them. */
  readonly isJudged?: boolean
  /** Called once everything is applied. */
  applied?(): Promise<void>
}

interface Change {
  readonly manifests: Manifests
  readonly reference?: TargetReference | undefined
  /** Of the revision. */
  readonly author?: string | undefined
  readonly locate: Locate
}

/**
 * Whether a pass may apply its build, by the policies of the hub and what users must approve. A change that needs approval is planned, and waits until the plan is approved: as long as that plan would
 * still be made today. A change whose apply has begun is completed, and drift is corrected, without another plan.
 */
export const requireApproval = async (
  run: KustomizationRun,
  { manifests, reference, author, locate }: Change,
  restraint: Restraint,
  context: Context,
): Promise<Clearance> => {
  const { applier: unit, pass, cluster, clock, digest } = run
  const isProposed = restraint.approval?.onPlan !== undefined
  if (!isProposed && wasApplied(unit, digest)) {
    if (wasScheduled(unit) && !pass.dryRun) await takeScheduled(unit, '', context)
    return {}
  }
  const policies = await policiesOf(unit, restraint, context.references)
  if (!restraint.approval && policies.length === 0) return scheduled(run, context)
  const facts = await context.units.read(unit)
  if (!isProposed && isCleared(unit, digest, facts)) {
    const plan = facts.approved?.plan
    pass.note({ plan })
    return plan ? { applied: () => markBegunApplied(unit, plan.name, context) } : {}
  }
  const { applied: inventory, ...rules } = applyRules(run, manifests, context.settings, locate)
  const { signal } = pass
  const planned = await planChanges(cluster, manifests.objects, {
    ...rules,
    ...{ inventory, prune: unit.spec.prune, clock, signal },
  })
  // As the apply would fail: with `on-refusal: continue`, that would apply the rest.
  const [failure] = planned.failures
  if (failure) throw runFailure(run, 'ReconciliationFailed', planned.failures.map(({ message }) => message).join('\n'))
  const disclosure = { ...manifests.secrets, fieldManager }
  const verdict = await judgeChanges(policies, { unit, planned, disclosure, restraint }, cluster)
  if (verdict.denied !== undefined) throw runFailure(run, policyDenied, verdict.denied)
  const required = strictestApproval(restraint.approval, verdict.approval)
  const isJudged = policies.length > 0
  if (!required) return { ...(await scheduled(run, context)), isJudged }
  const removed = planned.changes.filter(({ action }) => action === 'deleted' || action === 'recreated')
  if (required.of === 'Deletions' && removed.length === 0) return { ...(await scheduled(run, context)), isJudged }
  const decision = await decideAbout(
    {
      ...{ unit, cluster: reference, revision: run.revision.revision, author, manifests: digest, planned },
      ...{ disclosure, required, isDryRun: pass.dryRun !== undefined },
    },
    context,
  )
  if (decision.type === 'approved') {
    const plan = planApprovalOf(decision.plan)
    pass.note({ plan })
    await context.units.write(unit, {
      ...facts,
      approved: { build: digest, generation: generationOf(unit), plan },
    })
    return {
      isJudged,
      deletions: new Set(
        planned.changes.filter(({ action }) => action === 'deleted').map(({ ref }) => inventoryId(ref)),
      ),
      applied: () => markApplied(decision.plan, context),
    }
  }
  return { waiting: awaiting(unit, decision, pass) }
}

/** The clearance of a change that needs no approval: if it has waited for a window, it has a plan, which is applied now. */
const scheduled = async ({ applier: unit, pass, digest }: KustomizationRun, context: Context): Promise<Clearance> => {
  if (!wasScheduled(unit) || pass.dryRun) return {}
  const found = await takeScheduled(unit, digest, context)
  if (!found) return {}
  const plan = planApprovalOf(found)
  pass.note({ plan })
  const facts = await context.units.read(unit)
  await context.units.write(unit, { ...facts, approved: { build: digest, generation: generationOf(unit), plan } })
  return { applied: () => markApplied(found, context) }
}

/** Marks the plan by which an earlier pass has begun to apply the unit, if there was one: its objects are healthy now. */
export const markHealthy = async (unit: Kustomization, { approved }: UnitFacts, context: Context): Promise<void> => {
  if (approved?.plan && approved.generation === generationOf(unit))
    await markBegunApplied(unit, approved.plan.name, context)
}

const generationOf = ({ metadata }: Kustomization): number => metadata.generation ?? 0

/** Whether the apply of this build, for this spec, has begun with an approval. */
const isCleared = (unit: Kustomization, digest: string, { approved }: UnitFacts): boolean =>
  approved?.build === digest && approved.generation === generationOf(unit)
