import type { ReleaseAtHead } from '../../foundations/fleet/release-at-head.ts'
import type { PlanRelease } from '../../reconcile/helm-release/plan-head.ts'
import { dryPasses } from '../../reconcile/pull-request/dry-pass.ts'
import type { FunctionResponse } from './invoke-function.ts'
import { maxPayload, packText, unpackText } from './packed-text.ts'
import type { PlanReleaseRequest } from './release-plans-function.ts'

interface PlanTime {
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  /** Aborts when a plan takes too long, or the function ends. */
  readonly signal: AbortSignal
}

/** The response of the function `helmrelease` to a request for a plan: a dry run of its own. */
export const handleReleasePlan = async (
  plan: PlanRelease,
  { release }: PlanReleaseRequest,
  { startedAt, signal }: PlanTime,
): Promise<FunctionResponse> => {
  const pass = dryPasses({ signal, startedAt, confine: async cluster => cluster })
  try {
    const value = packText(JSON.stringify(await plan(JSON.parse(unpackText(release)) as ReleaseAtHead, pass())))
    if (value.length <= maxPayload) return { value }
    return { error: `the plan has ${value.length} bytes compressed, and a function on AWS may send ${maxPayload}` }
  } catch (error) {
    if (!signal.aborted) throw error
    return { error: 'planning the release takes too long' }
  }
}
