import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { type TrustedIssuers, tokenVerifier } from '../../hub/apiserver/authentication/token-verifier.ts'
import { isPublic } from '../../hub/apiserver/documents/server-info.ts'
import { tooManyRequests } from '../../hub/apiserver/fairness/too-many-requests.ts'
import { unauthorized } from '../../hub/apiserver/refusals.ts'
import { asApiError } from '../../hub/apiserver/status.ts'
import { refusal } from '../../hub/apiserver/wire/refusal.ts'
import { systemClock } from '../../platform/adapters/embedded/system-clock.ts'
import { ambientAwsIdentity } from '../../platform/cloud/aws/ambient-identity.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import { composeCloud } from '../cloud.ts'
import { readApiProxyEnvironment, type Variables } from './environment.ts'
import { type Observability, observability } from './observability.ts'
import { type StreamFrom, streamFromFunction } from './stream-from-function.ts'
import { stsTokens } from './sts-callers.ts'

export interface ApiProxyPorts {
  readonly cloud: Pick<AmbientPorts, 'fetch' | 'environment'>
  readonly clock: Clock
  readonly log: Log
  /** Invokes the function `apiserver`. */
  readonly apiServer: StreamFrom
}

export interface ApiProxyEvents {
  /** The event that requests the trusted issuers from `apiserver`. */
  readonly issuersRequest: object
  /** Parses the response to it. */
  readonly parseIssuers: (text: string) => TrustedIssuers
  /** The event of a request for the same path, without its headers, query and body. */
  readonly bare: (request: Request) => object
}

/** Handles the event of a request: responds to it, or forwards it and streams the response of `apiserver`, head and body. */
export type ApiProxy = (
  event: object,
  request: Request,
  signal: AbortSignal,
) => Promise<{ readonly response: Response } | { readonly stream: AsyncIterable<Uint8Array> }>

const maxIssuersBytes = 1 << 20

/**
 * The authenticating proxy in front of the hub's API. Its only right is to invoke `apiserver`. It forwards requests whose token STS or a key
 * of the hub confirms. Other requests get the version and health of the hub, or 401. `apiserver` authenticates each request again.
 */
export const composeApiProxy = (
  { cloud, clock, log, apiServer }: ApiProxyPorts,
  events: ApiProxyEvents,
  { hubName, region }: { readonly hubName: string; readonly region: string },
): ApiProxy => {
  const trustedIssuers = async (): Promise<TrustedIssuers> => {
    const stream = await apiServer(events.issuersRequest, AbortSignal.timeout(issuersTimeoutMs))
    return events.parseIssuers((await collectBytes(stream, maxIssuersBytes))?.toString() ?? '')
  }
  const hasTrustedToken = tokenVerifier({
    clock,
    log,
    identityBehind: stsTokens({ cloud, clock }, { hubName, region }),
    trustedIssuers,
  })

  return async (event, request, signal) => {
    try {
      if (await hasTrustedToken(request)) return { stream: await apiServer(event, signal) }
      const { pathname } = new URL(request.url)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (isRead && isPublic(pathname)) return { stream: await apiServer(events.bare(request), signal) }
      return { response: await refusal(request, unauthorized()) }
    } catch (cause) {
      const isThrottled = cause instanceof CloudError && cause.status === throttled
      const error = isThrottled ? tooManyRequests('Lambda has reached its concurrency limit') : asApiError(cause)
      if (error !== cause) log.error('request failed', { method: request.method, error: cause })
      return { response: await refusal(request, error) }
    }
  }
}

const issuersTimeoutMs = 20_000
/** Lambda's status when the concurrency limit is reached. */
const throttled = 429

export interface AwsApiProxy {
  readonly proxy: ApiProxy
  readonly observability: Observability
}

/** Composes the proxy from its function's environment. Makes no request itself. Throws EnvironmentError. */
export const openAwsApiProxy = (variables: Variables, events: ApiProxyEvents): AwsApiProxy => {
  const { hubName, region, settings } = readApiProxyEnvironment(variables)
  const observed = observability(hubName)
  const cloud = composeCloud(systemClock, { ...settings, metadataService: false })
  const apiServer = streamFromFunction(cloud, {
    ...{ functionName: `${hubName}-apiserver`, region, identity: ambientAwsIdentity(cloud) },
  })
  const ports = { cloud, clock: systemClock, log: observed.log, apiServer }
  return { proxy: composeApiProxy(ports, events, { hubName, region }), observability: observed }
}
