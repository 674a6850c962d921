import type { Clusters } from '../../clusters/client/clusters.ts'
import { composeReleasePlans } from '../release-plans.ts'
import type { AwsHub } from './aws-hub.ts'
import { handleReleasePlan } from './handle-release-plan.ts'
import type { FunctionResponse } from './invoke-function.ts'
import { type PlanReleaseRequest, planMs } from './release-plans-function.ts'

/** The plans that the function `helmrelease` makes for pull requests. `deadline` aborts before the function ends. */
export const awsReleasePlans = (
  base: AwsHub,
  clusters: Clusters,
): ((request: PlanReleaseRequest, deadline: AbortSignal) => Promise<FunctionResponse>) => {
  const { ports, settings } = base
  const plan = composeReleasePlans(ports, settings, base, clusters)
  return (request, deadline) => {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(planMs)])
    return handleReleasePlan(plan, request, { startedAt: ports.clock.now(), signal })
  }
}
