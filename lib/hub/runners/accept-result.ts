import type { Comparison } from '../../foundations/fleet/comparison.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Plan, PlanCounts, PreviewedPlan } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { badRequest } from '../store/api-errors.ts'
import type { Hub } from '../store/hub.ts'
import { acceptHead } from './accept-head.ts'
import { acceptLive } from './accept-live.ts'
import { planNamed } from './accept-plan.ts'
import type { OrderedWork, OrderResult } from './orders.ts'
import type { PlanRequest } from './protocol.ts'

type CheckPorts = Pick<Hub, 'create'>

/**
 * The result that a runner has of an order, as users get it: about the unit and the cluster that the hub knows, and with nothing that such a result does not
 * have. Fails with BadRequest or Invalid if it is none.
 */
export const acceptResult = async (
  unit: KubernetesObject,
  cluster: TargetReference,
  work: OrderedWork,
  result: OrderResult | undefined,
  hub: CheckPorts,
): Promise<OrderResult> => {
  if (result && 'failed' in result) {
    const reason = passedOn.find(known => known === result.reason)
    return { failed: String(result.failed), ...(reason && { reason }) }
  }
  const { found } = result ?? {}
  if (typeof found !== 'object' || found === null) throw badRequest('result must have what was found, or failed')
  const checked = (plan: NonNullable<PlanRequest['create']>): Promise<Plan> =>
    hub.create(planNamed(anyName, unit, cluster, plan), { fieldManager: 'keelson', dryRun: true })
  switch (work.type) {
    case 'plan':
      return { found: { plan: await acceptedPlan((found as { readonly plan?: PreviewedPlan }).plan, checked) } }
    case 'comparison':
      return { found: await acceptedComparison(found as Partial<Comparison>, checked) }
    case 'live':
      return { found: acceptLive(work, found) }
    case 'head':
    case 'release': {
      const counts = async (given: PlanCounts) => (await checked(counted(given))).spec.counts
      return { found: await acceptHead(found as Readonly<Record<string, unknown>>, cluster, work.type, counts) }
    }
  }
}

/** Why a cluster does not show something: users see the same as of a cluster that the hub reaches. */
const passedOn = ['BadRequest', 'Forbidden', 'NotFound', 'ServiceUnavailable'] as const

/** It is not stored. */
const anyName = 'planned-by-its-runner'

type Checked = (plan: NonNullable<PlanRequest['create']>) => Promise<Plan>

const acceptedPlan = async (given: PreviewedPlan | undefined, checked: Checked): Promise<PreviewedPlan> => {
  if (!given?.spec) throw badRequest('result must have a plan with its spec')
  const { errors, denied } = given
  const { spec, changes, moreChanges } = await checked(given)
  return {
    spec,
    ...(changes && { changes }),
    ...(moreChanges !== undefined && { moreChanges }),
    ...(Array.isArray(errors) && errors.length > 0 && { errors: errors.map(String) }),
    ...(typeof denied === 'string' && { denied }),
  }
}

/** Its changes are those of a Plan. */
const acceptedComparison = async (given: Partial<Comparison>, checked: Checked): Promise<Comparison> => {
  const { comparedAt, desired, revision, counts, changes, moreChanges, refused } = given
  if (!counts || !Array.isArray(changes) || !Array.isArray(refused) || Number.isNaN(Date.parse(String(comparedAt))))
    throw badRequest('result must have comparedAt, counts, changes and refused of a comparison')
  const plan = await checked({ ...counted(counts), changes, moreChanges: moreChanges ?? 0 })
  return {
    comparedAt: String(comparedAt),
    desired: desired === 'RenderedNow' ? desired : 'AppliedLast',
    revision: String(revision),
    counts: plan.spec.counts,
    changes: plan.changes ?? [],
    moreChanges: plan.moreChanges ?? 0,
    refused: refused.map(String),
  }
}

/** A Plan of nothing else: the hub names the unit as it knows it. */
const counted = (counts: PlanCounts): Pick<Plan, 'spec'> => ({
  spec: { unit: { apiVersion: '', kind: '', name: '' }, digest: 'none', counts },
})
