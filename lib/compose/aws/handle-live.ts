import type { FleetReports } from '../../hub/apiserver/fleet/fleet-reports.ts'
import type { Authorize } from '../../hub/authorize/access.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { FunctionResponse } from './invoke-function.ts'
import type { LiveOutcome, LiveRequest } from './live-function.ts'
import { packText } from './packed-text.ts'

export interface LiveParts {
  readonly reports: FleetReports
  /** Authorizes by the roles of the hub. */
  readonly authorize: Authorize
}

/** The response of the function `live`: reads what the person may see. Fails if the hub itself can't be read. */
export const handleLive = async (
  { reports, authorize }: LiveParts,
  request: LiveRequest,
): Promise<FunctionResponse> => ({
  value: packText(JSON.stringify(await outcomeOf(reports, authorize, request))),
})

const outcomeOf = async (
  reports: FleetReports,
  authorize: Authorize,
  { path, user }: LiveRequest,
): Promise<LiveOutcome> => {
  try {
    const report = await reports(new URL(path, 'https://hub'), { user, authorize })
    if (report) return { report }
    throw new ApiError(404, 'NotFound', 'the server could not find the requested resource')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, reason, message, details } = error
    return { refusal: { code, reason, message, ...(details && { details }) } }
  }
}
