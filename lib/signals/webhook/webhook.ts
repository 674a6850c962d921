import { CelError } from '../../engines/cel/cel-error.ts'
import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import { webhookPathRef } from '../../foundations/kinds/receiver.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { DeliveryPayload } from '../../hub/deliveries/delivery-codec.ts'
import type { References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryPlace } from '../../platform/ports/deliveries.ts'
import type { Log, LogFields } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { readPayload, type WebhookCall, WebhookRefused } from './call.ts'
import type { DeliveryLog, Handled, ReceivedCall } from './delivery-log.ts'
import { compileFilter, compileFilters, hasFilters } from './filter.ts'
import { commentProviderOf, followPullRequest } from './follow-pull-request.ts'
import type { IdTokens } from './id-token.ts'
import type { PathSalts } from './path-salts.ts'
import type { ProcessedRequests } from './processed-requests.ts'
import { readPullRequest } from './pull-request-event.ts'
import { type Push, readPush } from './push.ts'
import type { ReceiverSecrets } from './receiver-secrets.ts'
import { senderOf } from './sender.ts'
import { requesterNamed, triggerTargets } from './targets.ts'
import { type VerifiedRequest, verifyRequest } from './verify-request.ts'
import { ownerOfPath, type PathOwner } from './webhook-path.ts'

export interface WebhookPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'create' | 'patch' | 'referrers'>
  readonly references: References
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly processed: ProcessedRequests
  readonly deliveryLog: DeliveryLog
  readonly idTokens: IdTokens
  readonly pathSalts: Pick<PathSalts, 'read'>
  readonly receiverSecrets: Pick<ReceiverSecrets, 'read'>
  /** Counts requests by their result, `NotFound` if there is no Receiver at the path, for metrics. */
  readonly observeWebhook?: ((result: Handled['result'] | 'NotFound') => void) | undefined
}

export interface WebhookSettings {
  /** Refuse to trigger objects in other namespaces than the Receiver's. */
  readonly noCrossNamespaceRefs: boolean
}

/** notification-controller's limit, far above any payload of a push. */
const maxBodyBytes = 3 * 1024 * 1024

/** `remoteAddress` is the address that a request comes from. */
export type WebhookHandler = (request: Request, remoteAddress?: string) => Promise<Response>

/**
 * Handles requests to `/hook/...`: verifies them by the rules of the Receiver's type, triggers the Receiver's objects,
 * and records the call. A request can only reduce the set of triggered objects: a forged or stale one costs at most a
 * check of the source.
 */
export const webhookHandler = (ports: WebhookPorts, settings: WebhookSettings): WebhookHandler => {
  const { log, clock, deliveryLog, receiverSecrets, observeWebhook = () => {} } = ports

  /** A failure to record the call does not fail it. */
  const record = async (place: DeliveryPlace, received: ReceivedCall, handled: Handled): Promise<void> => {
    observeWebhook(handled.result)
    await deliveryLog
      .record(place, received, handled)
      .catch(error => log.error('failed to record a delivery', { ...fieldsOf(received), error }))
  }

  return async (request, remoteAddress) => {
    const startedAt = Math.round(clock.now())
    const receiver = await receiverAt(ports, new URL(request.url).pathname)
    if (!receiver) {
      observeWebhook('NotFound')
      return respond(404, 'no receiver found for this path')
    }
    const body = request.body ? await collectBytes(request.body, maxBodyBytes) : Buffer.alloc(0)
    const { headers } = request
    const received: ReceivedCall = {
      ...{ receiver, headers, remoteAddress, startedAt, secret: await receiverSecrets.read(receiver) },
      call: { header: name => headers.get(name) ?? undefined, body: body ?? Buffer.alloc(0) },
    }
    const place = deliveryLog.placeOf(receiver, startedAt)
    const handled = body ? await handleCall(ports, settings, received, place) : tooLarge
    await record(place, received, handled)
    return respond(handled.status, handled.text)
  }
}

const tooLarge: Handled = {
  result: 'Refused',
  status: 413,
  text: `the body is larger than ${maxBodyBytes} bytes`,
  verified: false,
}

const fieldsOf = ({ receiver: { metadata } }: ReceivedCall): LogFields => ({
  receiver: `${metadata.namespace}/${metadata.name}`,
})

const handleCall = async (
  ports: WebhookPorts,
  { noCrossNamespaceRefs }: WebhookSettings,
  received: ReceivedCall,
  delivery: DeliveryPlace,
): Promise<Handled> => {
  const { log, clock, processed, idTokens } = ports
  const { receiver, call, secret } = received
  if (isSuspended(receiver) || !isConditionTrue(receiver.status?.conditions, 'Ready'))
    return unavailable('the receiver is suspended or not ready')
  if (!secret.has('token') && receiver.spec.secretRef) return unavailable('the receiver has no token')

  const refused = (error: unknown): string => {
    if (!(error instanceof WebhookRefused || error instanceof CelError)) throw error
    // The caller may not see the objects that a filter reads.
    const reason = error instanceof CelError ? error.messageWithoutValues : error.message
    log.info('webhook refused', { ...fieldsOf(received), reason })
    return reason
  }

  let verified: VerifiedRequest
  try {
    verified = await verifyRequest({ call, receiver, secret, idTokens, now: clock.now() })
  } catch (error) {
    return { result: 'Refused', status: 400, text: refused(error), verified: false }
  }
  const { event } = verified
  const payload = payloadIn(call, verified)
  const push = pushIn(payload)
  const known = { verified: true, event, push, sender: senderOf(payload) }
  if (isPing(receiver, verified)) return { ...known, result: 'Ping', status: 200, text: 'pong' }
  const unwanted = unwantedEvent(receiver, event)
  if (unwanted) return { ...known, result: 'Ignored', status: 400, text: refused(new WebhookRefused(unwanted)) }
  try {
    if (await processed.includes({ call, receiver, verified }))
      return { ...known, result: 'Duplicate', status: 200, text: 'duplicate: this request was already handled' }
    const accepts = compileFilter(compileFilters(receiver), call, verified)
    const pullRequest = commentProviderOf(receiver) === undefined ? undefined : readPullRequest(payload)
    if (pullRequest) {
      const user = requesterNamed(receiver, known.sender)
      const { object, text } = await followPullRequest(ports, receiver, pullRequest, {
        accepts,
        user,
        noCrossNamespaceRefs,
      })
      log.info('webhook received', { ...fieldsOf(received), pullRequest: pullRequest.number })
      await processed.add({ call, receiver, verified })
      return { ...known, triggered: object ? [object] : [], result: 'Triggered', status: 200, text }
    }
    const selection = { accepts, push, sender: known.sender, delivery }
    const { triggered, problems } = await triggerTargets(ports, receiver, selection, noCrossNamespaceRefs)
    const fields = { ...fieldsOf(received), triggered: triggered.length }
    log.info('webhook received', { ...fields, ...(problems.length > 0 && { problems }) })
    const outcome = { ...known, triggered, payload: repeatable(receiver, call, verified) }
    if (problems.length > 0)
      return { ...outcome, result: 'Failed', status: 500, text: 'a reconcile could not be requested for all objects' }
    await processed.add({ call, receiver, verified })
    return { ...outcome, result: 'Triggered', status: 200, text: `ok: requested ${triggered.length} to reconcile` }
  } catch (error) {
    return { ...known, result: 'Failed', status: 400, text: refused(error) }
  }
}

const unavailable = (text: string): Handled => ({ result: 'Unavailable', status: 503, text, verified: false })

const respond = (status: number, text: string): Response => new Response(`${text}\n`, { status })

const receiverAt = async (
  { hub, receiverSecrets, pathSalts }: WebhookPorts,
  path: string,
): Promise<Receiver | undefined> => {
  const candidates: PathOwner[] = []
  for await (const ref of hub.referrers(webhookPathRef(path))) {
    const receiver = await hub.get<Receiver>(ref)
    if (receiver?.status?.webhookPath !== path) continue
    const token = (await receiverSecrets.read(receiver)).get('token') ?? ''
    candidates.push({ receiver, secretPart: token + (await pathSalts.read(receiver)) })
  }
  return ownerOfPath(path, candidates)
}

/** A forge's test event for a new webhook. */
const isPing = ({ spec }: Receiver, { event }: VerifiedRequest): boolean =>
  (spec.type === 'github' && event === 'ping') || (spec.type === 'bitbucket' && event === 'diagnostics:ping')

const eventTypes: ReadonlySet<ReceiverType> = new Set(['github', 'gitlab', 'bitbucket', 'cdevents'])

/** Why an event is not for a Receiver; undefined if it is. */
export const unwantedEvent = ({ spec }: Receiver, event = ''): string | undefined => {
  const { type, events = [] } = spec
  if (!eventTypes.has(type) || events.length === 0) return undefined
  if (events.some(wanted => wanted.toLowerCase() === event.toLowerCase())) return undefined
  return `the event '${event.slice(0, 50)}' is not in spec.events`
}

/** The request for a redelivery, which needs it only if the Receiver's filters read it. */
const repeatable = (
  receiver: Receiver,
  call: WebhookCall,
  { payload, claims }: VerifiedRequest,
): DeliveryPayload | undefined => {
  if (!hasFilters(receiver)) return undefined
  const contentType = call.header('content-type')
  return {
    ...(contentType && { contentType }),
    body: payload === undefined ? Buffer.from(call.body).toString('base64') : '',
    ...(payload !== undefined && { payload }),
    ...(claims && { claims: { ...claims } }),
  }
}

/** The payload, if the request has one. */
const payloadIn = (call: WebhookCall, { payload }: VerifiedRequest): unknown => {
  try {
    return payload ?? readPayload(call, 'payload')
  } catch {
    return undefined // pipelines may send any body: triggers all objects
  }
}

const pushIn = (payload: unknown): Push | undefined => {
  try {
    return readPush(payload)
  } catch {
    return undefined
  }
}
