import { createHash } from 'node:crypto'
import type { Receiver, ReceiverType } from '../kinds/receiver.ts'
import type { Clock } from '../ports/clock.ts'
import { type ObjectStore, StoreError } from '../ports/objects.ts'
import type { WebhookCall } from './call.ts'

/** Remembers which requests have been acted upon, so that a recorded one that is sent again costs nothing. */
export interface Deliveries {
  wasHandled(call: WebhookCall, receiver: Receiver): Promise<boolean>
  /** Once all objects have been asked: a sender repeats what failed. */
  remember(call: WebhookCall, receiver: Receiver): Promise<void>
}

const keptMs = 24 * 60 * 60_000

/** Types whose senders sign what they send, or show a secret: where the path is all, there is nothing to replay that one could not make up. */
const proven: ReadonlySet<ReceiverType> = new Set(['github', 'gitlab', 'bitbucket', 'harbor', 'nexus', 'gcr'])

/** A commit or a digest: no two events of one sender have the same body. */
const tellsEventsApart = /[0-9a-f]{40}|sha256:[0-9a-f]{64}/

const deliveryHeaders = [
  'X-GitHub-Delivery',
  'X-Gitea-Delivery',
  'X-Gogs-Delivery',
  'X-Gitlab-Event-UUID',
  'X-Request-UUID',
]
const eventHeaders = ['X-GitHub-Event', 'X-Gitlab-Event', 'X-Event-Key']

/**
 * What makes a request the same as another: its body, which is proven, where that tells events apart; else together with the
 * sender's identifier, which can be made up. Undefined for a sender that may well send the same bytes each time.
 */
const nameOf = ({ body, header }: WebhookCall, { metadata, spec }: Receiver): string | undefined => {
  if (!proven.has(spec.type)) return undefined
  const first = (names: readonly string[]) => names.map(header).find(value => value !== undefined)
  const identifier = tellsEventsApart.test(Buffer.from(body).toString('latin1')) ? '' : first(deliveryHeaders)
  if (identifier === undefined) return undefined
  return createHash('sha256')
    .update(JSON.stringify([metadata.uid, identifier, first(eventHeaders)]))
    .update(body)
    .digest('hex')
}

export const createDeliveries = (objects: Pick<ObjectStore, 'get' | 'commit'>, clock: Clock): Deliveries => {
  const refOf = (call: WebhookCall, receiver: Receiver) => {
    const name = nameOf(call, receiver)
    const namespace = receiver.metadata.namespace ?? ''
    return name === undefined ? undefined : { group: 'webhook.keelson.dev', kind: 'Delivery', namespace, name }
  }
  return {
    wasHandled: async (call, receiver) => {
      const ref = refOf(call, receiver)
      const found = ref && (await objects.get(ref))
      return found !== undefined && (found.expires ?? 0) > clock.now()
    },
    remember: async (call, receiver) => {
      const ref = refOf(call, receiver)
      if (!ref) return
      const expires = clock.now() + keptMs
      try {
        await objects.commit({ op: 'create', ref, body: '{}', refersTo: [], expires })
      } catch (error) {
        if (!(error instanceof StoreError && error.code === 'exists')) throw error
      }
    },
  }
}
