import type { Authenticate } from '../../hub/apiserver/authentication/caller.ts'
import { stsAuthentication } from '../../hub/apiserver/authentication/sts-authentication.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { sendRequest } from '../../platform/cloud/send-request.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'

export interface StsCallersOptions {
  /** The name that tokens must be issued for. */
  readonly hubName: string
  /** IAM ARNs of administrators. */
  readonly admins: readonly string[]
  /** The hub's region: only its STS is called. */
  readonly region: string
  /** The hub's account: principals of other accounts are not authenticated without a mapping. */
  readonly account: string
}

interface StsCallersPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly clock: Clock
  readonly log: Log
  readonly cloud: Pick<AmbientPorts, 'fetch' | 'environment'>
}

/** Authenticates callers of a hub on AWS: by tokens that STS confirms, under the names in `keelson-system/aws-auth`. */
export const stsCallers = (
  { cloud, ...ports }: StsCallersPorts,
  { region, ...options }: StsCallersOptions,
): Authenticate =>
  stsAuthentication(
    {
      ...ports,
      ask: (url, headers) =>
        sendRequest(cloud.fetch, { service: 'AWS', what: 'the identity of a caller', url, headers }),
    },
    { ...options, stsOrigin: endpointOf('sts', region, cloud.environment) },
  )
