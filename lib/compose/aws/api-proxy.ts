import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { knownIssuers, type TrustedIssuers, tokenVerifier } from '../../hub/apiserver/authentication/token-verifier.ts'
import { tooManyRequests } from '../../hub/apiserver/fairness/too-many-requests.ts'
import { unauthorized } from '../../hub/apiserver/refusals.ts'
import { asApiError } from '../../hub/apiserver/status.ts'
import { refusal } from '../../hub/apiserver/wire/refusal.ts'
import { type ConsolePages, pageFor } from '../../hub/console/pages.ts'
import { sessionIn } from '../../hub/console/sessions.ts'
import { isSignedSeal } from '../../hub/console/signed-seals.ts'
import { challengeOf, metadataFor } from '../../hub/mcp/protected-resource.ts'
import { runnerPath } from '../../hub/runners/protocol.ts'
import { signedRequestOf } from '../../hub/runners/signed-request.ts'
import { systemClock } from '../../platform/adapters/embedded/system-clock.ts'
import { ambientAwsIdentity } from '../../platform/cloud/aws/ambient-identity.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import { composeCloud } from '../cloud.ts'
import { readConsolePages } from '../console-pages.ts'
import { readApiProxyEnvironment, type Variables } from './environment.ts'
import { type KeptOfRequest, keepOfRequest } from './keep-of-request.ts'
import { type Observability, observability } from './observability.ts'
import { type StreamFrom, streamFromFunction } from './stream-from-function.ts'
import { stsTokens } from './sts-callers.ts'

export interface ApiProxyPorts {
  readonly cloud: Pick<AmbientPorts, 'fetch' | 'environment'>
  readonly clock: Clock
  readonly log: Log
  /** Invokes the function `apiserver`. */
  readonly apiServer: StreamFrom
  /** The console's; undefined if they were not bundled. */
  readonly pages: ConsolePages | undefined
}

export interface ApiProxyEvents {
  /** The event that requests the trusted issuers from `apiserver`. */
  readonly issuersRequest: object
  /** Parses the response to it. */
  readonly parseIssuers: (text: string) => TrustedIssuers
  /** The event of a request for the same path, with those headers and that query only, and without a body. */
  readonly bare: (request: Request, kept: KeptOfRequest) => object
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
 * of the hub confirms, those with a session of the console, and those that a runner seems to have signed within the last minute: their key is in a
 * Secret, which only `apiserver` may read. Of those that need no credential it forwards the path, and little else. Others get the console's pages, or
 * 401. `apiserver` authenticates each request again.
 */
export const composeApiProxy = (
  { cloud, clock, log, apiServer, pages }: ApiProxyPorts,
  events: ApiProxyEvents,
  { hubName, region }: { readonly hubName: string; readonly region: string },
): ApiProxy => {
  const trustedIssuers = async (): Promise<TrustedIssuers> => {
    const stream = await apiServer(events.issuersRequest, AbortSignal.timeout(issuersTimeoutMs))
    return events.parseIssuers((await collectBytes(stream, maxIssuersBytes))?.toString() ?? '')
  }
  const issuersOf = knownIssuers(clock, trustedIssuers)
  const peopleIssuers = async () => (await issuersOf()).issuers.map(({ url }) => url)
  const identityBehind = stsTokens({ cloud, clock }, { hubName, region })
  const hasTrustedToken = tokenVerifier({ clock, log, identityBehind, issuersOf })
  const hasSession = async (request: Request, url: URL): Promise<boolean> => {
    const session = sessionIn(request, url)
    return session !== undefined && isSignedSeal(session, (await issuersOf()).keySet, clock.now())
  }

  return async (event, request, signal) => {
    try {
      const url = new URL(request.url)
      const own = (await metadataFor(request, url, peopleIssuers)) ?? (pages && pageFor(request, url, pages))
      if (own) return { response: own }
      const isKnown =
        isOfRunner(request, url, clock.now()) || (await hasTrustedToken(request)) || (await hasSession(request, url))
      if (isKnown) return { stream: await apiServer(event, signal) }
      const kept = await keepOfRequest(request, url, { issuersOf, now: clock.now })
      if (kept) return { stream: await apiServer(events.bare(request, kept), signal) }
      const response = await refusal(request, unauthorized())
      if (url.pathname === '/mcp') response.headers.set('www-authenticate', await challengeOf(url, peopleIssuers))
      return { response }
    } catch (cause) {
      const isThrottled = cause instanceof CloudError && cause.status === throttled
      const error = isThrottled ? tooManyRequests('Lambda has reached its concurrency limit') : asApiError(cause)
      if (error !== cause) log.error('request failed', { method: request.method, error: cause })
      return { response: await refusal(request, error) }
    }
  }
}

const isOfRunner = ({ method, headers }: Request, { pathname: path }: URL, now: number): boolean =>
  method === 'POST' &&
  path.startsWith(runnerPath) &&
  signedRequestOf(headers.get('authorization'), { path, now }) !== undefined

const issuersTimeoutMs = 20_000
/** Lambda's status when the concurrency limit is reached. */
const throttled = 429

export interface AwsApiProxy {
  readonly proxy: ApiProxy
  readonly observability: Observability
}

/** Composes the proxy from its function's environment, and the console's pages in a folder. Makes no request itself. Throws EnvironmentError. */
export const openAwsApiProxy = (variables: Variables, events: ApiProxyEvents, pagesFolder: string): AwsApiProxy => {
  const { hubName, region, settings } = readApiProxyEnvironment(variables)
  const observed = observability(hubName)
  const cloud = composeCloud(systemClock, { ...settings, metadataService: false })
  const apiServer = streamFromFunction(cloud, {
    ...{ functionName: `${hubName}-apiserver`, region, identity: ambientAwsIdentity(cloud) },
  })
  const pages = readConsolePages(pagesFolder)
  const ports = { cloud, clock: systemClock, log: observed.log, apiServer, pages }
  return { proxy: composeApiProxy(ports, events, { hubName, region }), observability: observed }
}
