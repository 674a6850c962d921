import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { doorkeeper, type TrustedIssuers } from '../../hub/apiserver/authentication/doorkeeper.ts'
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
import { readDoorEnvironment, type Variables } from './environment.ts'
import { type Observability, observability } from './observability.ts'
import { type StreamFrom, streamFromFunction } from './stream-from-function.ts'
import { stsTokens } from './sts-callers.ts'

export interface DoorPorts {
  readonly cloud: Pick<AmbientPorts, 'fetch' | 'environment'>
  readonly clock: Clock
  readonly log: Log
  /** The function that has the hub. */
  readonly apiServer: StreamFrom
}

export interface DoorEvents {
  /** What asks the hub whom it knows, and its answer. */
  readonly question: object
  readonly answer: (text: string) => TrustedIssuers
  /** The event of the same request without what came along: headers, query and body. */
  readonly bare: (request: Request) => object
}

/** What the door does with a request: answers it, or passes it on and has the answer as the other function streams it. */
export type Door = (
  event: object,
  request: Request,
  signal: AbortSignal,
) => Promise<{ readonly refusal: Response } | { readonly stream: AsyncIterable<Uint8Array> }>

const maxAnswerBytes = 1 << 20

/**
 * What strangers reach of the hub's API: it has no rights but to invoke the function behind it, and passes on what comes with a token that
 * STS or a key of the hub confirms. Others get to see the hub's version and health. The function behind it authenticates each request itself.
 */
export const composeDoor = (
  { cloud, clock, log, apiServer }: DoorPorts,
  events: DoorEvents,
  { hubName, region }: { readonly hubName: string; readonly region: string },
): Door => {
  const trustedIssuers = async (): Promise<TrustedIssuers> => {
    const answer = await collectBytes(await apiServer(events.question, AbortSignal.timeout(questionMs)), maxAnswerBytes)
    return events.answer(answer?.toString() ?? '')
  }
  const isKnown = doorkeeper({
    clock,
    log,
    identityBehind: stsTokens({ cloud, clock }, { hubName, region }),
    trustedIssuers,
  })

  return async (event, request, signal) => {
    try {
      if (await isKnown(request)) return { stream: await apiServer(event, signal) }
      const { pathname } = new URL(request.url)
      const isLook = request.method === 'GET' || request.method === 'HEAD'
      if (isLook && isPublic(pathname)) return { stream: await apiServer(events.bare(request), signal) }
      return { refusal: await refusal(request, unauthorized()) }
    } catch (cause) {
      const isBusy = cause instanceof CloudError && cause.status === busy
      const error = isBusy ? tooManyRequests('Lambda starts no more functions at the moment') : asApiError(cause)
      if (error !== cause) log.error('request failed', { method: request.method, error: cause })
      return { refusal: await refusal(request, error) }
    }
  }
}

const questionMs = 20_000
/** Lambda's answer where no more functions may run. */
const busy = 429

export interface AwsDoor {
  readonly door: Door
  readonly observability: Observability
}

/** The door by the environment of its function. Makes no request itself. Throws EnvironmentError. */
export const openAwsDoor = (variables: Variables, events: DoorEvents): AwsDoor => {
  const { hubName, region, settings } = readDoorEnvironment(variables)
  const observed = observability(hubName)
  const cloud = composeCloud(systemClock, { ...settings, metadataService: false })
  const apiServer = streamFromFunction(cloud, {
    ...{ functionName: `${hubName}-apiserver`, region, identity: ambientAwsIdentity(cloud) },
  })
  const ports = { cloud, clock: systemClock, log: observed.log, apiServer }
  return { door: composeDoor(ports, events, { hubName, region }), observability: observed }
}
