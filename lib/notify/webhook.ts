import type { Hub } from '../hub/hub.ts'
import { isSuspended } from '../kinds/flux.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { Receiver } from '../kinds/receiver.ts'
import { webhookPathRef } from '../kinds/receiver.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import { isConditionTrue } from '../rules/conditions.ts'
import { refusalOf } from './webhook-proof.ts'
import { setOff } from './webhook-targets.ts'

export interface WebhookPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch' | 'referrers'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface WebhookSettings {
  /** Refuse to set off objects of other namespaces than the Receiver's. */
  readonly noCrossNamespaceRefs: boolean
}

/** As notification-controller: more than a push with its list of commits ever needs. */
const largestBody = 3 * 1024 * 1024

/**
 * Answers requests to `/hook/...`: proves them by the Receiver's token and asks the Receiver's objects to reconcile. What a
 * request says besides never matters, so a forged or stale one can only cost a look at the source.
 */
export const webhookHandler = (
  ports: WebhookPorts,
  { noCrossNamespaceRefs }: WebhookSettings,
): ((request: Request) => Promise<Response>) => {
  const { hub, log } = ports

  return async request => {
    const receiver = await listenerAt(hub, new URL(request.url).pathname)
    if (!receiver) return answer(404, 'no receiver listens here')
    const said = { receiver: `${receiver.metadata.namespace}/${receiver.metadata.name}` }
    if (isSuspended(receiver) || !isConditionTrue(receiver.status?.conditions, 'Ready')) {
      return answer(503, 'the receiver is suspended or not ready')
    }
    const body = await readBody(request)
    if (!body) return answer(413, `the body is larger than ${largestBody} bytes`)
    const token = await tokenOf(hub, receiver)
    if (token === undefined) return answer(503, 'the receiver has no token')
    const header = (name: string) => request.headers.get(name) ?? undefined
    const refusal = refusalOf(receiver.spec.type, token, { header, body }) ?? eventProblem(receiver, header)
    if (refusal) {
      log.info('webhook refused', { ...said, why: refusal })
      return answer(400, refusal)
    }
    if (isPing(receiver, header)) return answer(200, 'pong')
    const problems = await setOff(ports, receiver, noCrossNamespaceRefs)
    log.info('webhook received', { ...said, ...(problems.length > 0 && { problems }) })
    return problems.length > 0 ? answer(500, 'not all objects could be asked to reconcile') : answer(200, 'ok')
  }
}

const answer = (status: number, text: string): Response => new Response(`${text}\n`, { status })

const listenerAt = async (hub: WebhookPorts['hub'], path: string): Promise<Receiver | undefined> => {
  for await (const ref of hub.referrers(webhookPathRef(path))) {
    const receiver = await hub.get<Receiver>(ref)
    if (receiver?.status?.webhookPath === path) return receiver
  }
  return undefined
}

/** Undefined when it is too large. */
const readBody = async (request: Request): Promise<Uint8Array | undefined> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > largestBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tokenOf = async (hub: WebhookPorts['hub'], { metadata, spec }: Receiver): Promise<string | undefined> => {
  const name = spec.secretRef?.name ?? ''
  const secret = await hub.get<KubernetesObject & { readonly data?: Readonly<Record<string, string>> }>({
    group: '',
    kind: 'Secret',
    namespace: metadata.namespace ?? '',
    name,
  })
  const token = secret?.data?.token
  return token === undefined ? undefined : Buffer.from(token, 'base64').toString()
}

type Header = (name: string) => string | undefined

/** GitHub's test of a new webhook. */
const isPing = ({ spec }: Receiver, header: Header): boolean =>
  spec.type === 'github' && header('x-github-event') === 'ping'

const eventProblem = (receiver: Receiver, header: Header): string | undefined => {
  const { type, events = [] } = receiver.spec
  if (type !== 'github' || events.length === 0 || isPing(receiver, header)) return undefined
  const event = header('x-github-event') ?? ''
  const isWanted = events.some(wanted => wanted.toLowerCase() === event.toLowerCase())
  return isWanted ? undefined : `the event '${event.slice(0, 50)}' is not among spec.events`
}
