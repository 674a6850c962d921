import type { FleetReports } from '../../hub/apiserver/fleet/fleet-reports.ts'
import type { User } from '../../hub/authorize/access.ts'
import { isLivePath } from '../../hub/live/live-paths.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { type InvokedFunction, invokeFunction } from './invoke-function.ts'
import { unpackText } from './packed-text.ts'

/** A request to the function `live`, for a person whom the API server has authenticated. */
export interface LiveRequest {
  /** Below `/fleet/live`, with its query. */
  readonly path: string
  readonly user: Pick<User, 'name' | 'groups'>
}

/** What the function responds, packed: a report, or why the person gets none. */
export type LiveOutcome =
  | { readonly report: object }
  | { readonly refusal: Pick<ApiError, 'code' | 'reason' | 'message' | 'details'> }

/** A little longer than the function's timeout, so that Lambda's own error arrives. */
const timeoutMs = 65_000

/**
 * Reports on what is on clusters, by a function of its own: the API server itself has no access to clusters, and may be in another network. Fails with the
 * ApiError of the function, or with CloudError if it does not respond.
 */
export const liveByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): FleetReports => {
  const invoke = invokeFunction(cloud, invoked, { what: 'live', timeoutMs })
  return async ({ pathname, search }, { user: { name, groups } }) => {
    if (!isLivePath(pathname)) return undefined
    const request: LiveRequest = { path: pathname + search, user: { name, groups } }
    const outcome = JSON.parse(unpackText(await invoke(request))) as LiveOutcome
    if ('report' in outcome) return outcome.report
    const { code, reason, message, details } = outcome.refusal
    throw new ApiError(code, reason, message, details)
  }
}
