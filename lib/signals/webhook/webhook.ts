import { CelError } from '../../engines/cel/cel-error.ts'
import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import { webhookPathRef } from '../../foundations/kinds/receiver.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log, LogFields } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { readPayload, type WebhookCall, WebhookRefused } from './call.ts'
import type { Deliveries } from './deliveries.ts'
import { compileFilter, compileFilters } from './filter.ts'
import type { IdTokens } from './id-token.ts'
import type { PathSalts } from './path-salts.ts'
import { type Push, readPush } from './push.ts'
import type { ReceiverSecrets } from './receiver-secrets.ts'
import { senderOf } from './sender.ts'
import { triggerTargets } from './targets.ts'
import { type VerifiedRequest, verifyRequest } from './verify-request.ts'
import { ownerOfPath, type PathOwner } from './webhook-path.ts'

export interface WebhookPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch' | 'referrers'>
  readonly references: References
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly deliveries: Deliveries
  readonly idTokens: IdTokens
  readonly pathSalts: Pick<PathSalts, 'read'>
  readonly receiverSecrets: Pick<ReceiverSecrets, 'read'>
}

export interface WebhookSettings {
  /** Refuse to trigger objects in other namespaces than the Receiver's. */
  readonly noCrossNamespaceRefs: boolean
}

/** notification-controller's limit, far above any payload of a push. */
const maxBodyBytes = 3 * 1024 * 1024

/**
 * Handles requests to `/hook/...`: verifies them by the rules of the Receiver's type, and triggers the Receiver's
 * objects. A request can only reduce the set of triggered objects: a forged or stale one costs at most a check of the
 * source.
 */
export const webhookHandler = (
  ports: WebhookPorts,
  { noCrossNamespaceRefs }: WebhookSettings,
): ((request: Request) => Promise<Response>) => {
  const { log, clock, deliveries, idTokens, receiverSecrets } = ports

  const handle = async (call: WebhookCall, receiver: Receiver, fields: LogFields): Promise<Response> => {
    const secret = await receiverSecrets.read(receiver)
    if (!secret.has('token') && receiver.spec.secretRef) return respond(503, 'the receiver has no token')
    const verified = await verifyRequest({ call, receiver, secret, idTokens, now: clock.now() })
    if (isPing(receiver, verified)) return respond(200, 'pong')
    requireWantedEvent(receiver, verified)
    if (await deliveries.wasHandled({ call, receiver, verified }))
      return respond(200, 'duplicate: this request was already handled')
    const payload = payloadIn(call, verified)
    const accepts = compileFilter(compileFilters(receiver), call, verified)
    const selection = { accepts, push: pushIn(payload), sender: senderOf(payload) }
    const { triggered, problems } = await triggerTargets(ports, receiver, selection, noCrossNamespaceRefs)
    log.info('webhook received', { ...fields, triggered, ...(problems.length > 0 && { problems }) })
    if (problems.length > 0) return respond(500, 'a reconcile could not be requested for all objects')
    await deliveries.remember({ call, receiver, verified })
    return respond(200, `ok: requested ${triggered} to reconcile`)
  }

  return async request => {
    const receiver = await receiverAt(ports, new URL(request.url).pathname)
    if (!receiver) return respond(404, 'no receiver found for this path')
    const fields = { receiver: `${receiver.metadata.namespace}/${receiver.metadata.name}` }
    if (isSuspended(receiver) || !isConditionTrue(receiver.status?.conditions, 'Ready')) {
      return respond(503, 'the receiver is suspended or not ready')
    }
    const body = request.body ? await collectBytes(request.body, maxBodyBytes) : Buffer.alloc(0)
    if (!body) return respond(413, `the body is larger than ${maxBodyBytes} bytes`)
    try {
      return await handle({ header: name => request.headers.get(name) ?? undefined, body }, receiver, fields)
    } catch (error) {
      if (!(error instanceof WebhookRefused || error instanceof CelError)) throw error
      // The caller may not see the objects that a filter reads.
      const reason = error instanceof CelError ? error.messageWithoutValues : error.message
      log.info('webhook refused', { ...fields, reason })
      return respond(400, reason)
    }
  }
}

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

const requireWantedEvent = ({ spec }: Receiver, { event = '' }: VerifiedRequest): void => {
  const { type, events = [] } = spec
  if (!eventTypes.has(type) || events.length === 0) return
  if (events.some(wanted => wanted.toLowerCase() === event.toLowerCase())) return
  throw new WebhookRefused(`the event '${event.slice(0, 50)}' is not in spec.events`)
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
