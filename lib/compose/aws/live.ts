import { liveReports } from '../../hub/live/live-reports.ts'
import { composeClusters } from '../clusters.ts'
import type { AwsHub } from './aws-hub.ts'
import { handleLive } from './handle-live.ts'
import type { FunctionResponse } from './invoke-function.ts'
import type { LiveRequest } from './live-function.ts'

/** The work of the function `live`: it connects to clusters with the identities of its role. */
export const awsLive = (base: AwsHub): ((request: LiveRequest) => Promise<FunctionResponse>) => {
  const { ports, settings, tokens, authorizer } = base
  const clusters = composeClusters(ports, settings, tokens)
  const reports = liveReports({ ...base, clusters, clock: ports.clock })
  return request => handleLive({ reports, authorize: authorizer.authorize }, request)
}
