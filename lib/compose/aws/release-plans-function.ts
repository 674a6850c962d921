import type { HeadPlan } from '../../foundations/fleet/head-plan.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { PlanRelease } from '../../reconcile/helm-release/plan-head.ts'
import { failedPlan, orAbort } from '../../reconcile/pull-request/restrained-plan.ts'
import { type InvokedFunction, invokeFunction } from './invoke-function.ts'
import { maxPayload, packText, unpackText } from './packed-text.ts'

/** A request to the function `helmrelease`: a packed ReleaseAtHead. It responds with a packed HeadPlan. */
export interface PlanReleaseRequest {
  readonly operation: 'planRelease'
  readonly release: string
}

/** What one plan may take. Pull requests begin none after six minutes, and have ten. */
export const planMs = 180_000

/**
 * Plans HelmReleases at the heads of pull requests in the function that releases charts: their code would make the function that plans pull requests too
 * large. Fails only with the abort of the pass.
 */
export const releasePlansByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): PlanRelease => {
  // A little longer than the function takes, so that its own error arrives.
  const invoke = invokeFunction(cloud, invoked, { what: 'planRelease', timeoutMs: planMs + 10_000 })
  return async (given, { signal }) => {
    const release = packText(JSON.stringify(given))
    if (release.length > maxPayload)
      return { type: 'skipped', open: 'with its ConfigMaps it has more than the 6 MB that a function on AWS takes' }
    const request: PlanReleaseRequest = { operation: 'planRelease', release }
    return invoke(request, signal)
      .then(plan => JSON.parse(unpackText(plan)) as HeadPlan)
      .catch(orAbort(signal, failedPlan))
  }
}
