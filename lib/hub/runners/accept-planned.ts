import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { badRequest } from '../store/api-errors.ts'
import type { Hub } from '../store/hub.ts'
import { planNamed } from './accept-plan.ts'
import type { PlanResult } from './plan-orders.ts'

/**
 * The result that a runner has of an order of a plan, as users get it: about the unit and the cluster that the hub knows, and with nothing that a Plan does not
 * have. Fails with BadRequest or Invalid if it is none.
 */
export const acceptPlanned = async (
  unit: KubernetesObject,
  cluster: TargetReference,
  result: PlanResult | undefined,
  hub: Pick<Hub, 'create'>,
): Promise<PlanResult> => {
  if (result && 'failed' in result) return { failed: String(result.failed) }
  const given = result?.plan
  if (!given?.spec) throw badRequest('result must have a plan, or failed')
  const { errors, denied } = given
  const checked = await hub.create(planNamed(anyName, unit, cluster, given), { fieldManager: 'keelson', dryRun: true })
  const { spec, changes, moreChanges } = checked
  return {
    plan: {
      spec,
      ...(changes && { changes }),
      ...(moreChanges !== undefined && { moreChanges }),
      ...(Array.isArray(errors) && errors.length > 0 && { errors: errors.map(String) }),
      ...(typeof denied === 'string' && { denied }),
    },
  }
}

/** It is not stored. */
const anyName = 'planned-by-its-runner'
