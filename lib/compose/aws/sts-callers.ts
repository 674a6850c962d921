import type { Authenticate } from '../../hub/apiserver/authentication/caller.ts'
import { stsAuthentication } from '../../hub/apiserver/authentication/sts-authentication.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { sendRequest } from '../../platform/cloud/send-request.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'

export interface StsCallersOptions {
  /** What tokens must be made for. */
  readonly hubName: string
  /** IAM ARNs of those who may do everything. */
  readonly admins: readonly string[]
  /** Where the hub is: only this region's STS is asked. */
  readonly region: string
  /** The hub's account: principals of others don't count as authenticated by themselves. */
  readonly account: string
}

interface StsCallersPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly clock: Clock
  readonly log: Log
  readonly cloud: Pick<AmbientPorts, 'fetch' | 'environment'>
}

/** Knows callers of a hub on AWS: by tokens that STS vouches for, under the names that `keelson-system/aws-auth` gives them. */
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
