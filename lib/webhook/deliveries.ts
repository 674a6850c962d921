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

/**
 * Senders whose bodies tell one event from another (commits, times). Others may well send the same bytes each time, as a
 * build that posts `{}`; and where the path is the only secret, there is nothing to replay that one could not make up.
 */
const tellEventsApart: ReadonlySet<ReceiverType> = new Set(['github', 'gitlab', 'bitbucket', 'harbor', 'nexus', 'gcr'])

/** By the digest of what is signed and of the event's name: identifiers in headers can be made up. */
const nameOf = ({ body, header }: WebhookCall, { metadata }: Receiver): string =>
  createHash('sha256')
    .update(`${metadata.uid}\0`)
    .update(`${header('X-GitHub-Event') ?? header('X-Gitlab-Event') ?? header('X-Event-Key') ?? ''}\0`)
    .update(body)
    .digest('hex')

export const createDeliveries = (objects: Pick<ObjectStore, 'get' | 'commit'>, clock: Clock): Deliveries => {
  const refOf = (call: WebhookCall, receiver: Receiver) => ({
    group: 'webhook.keelson.dev',
    kind: 'Delivery',
    namespace: receiver.metadata.namespace ?? '',
    name: nameOf(call, receiver),
  })
  return {
    wasHandled: async (call, receiver) => {
      if (!tellEventsApart.has(receiver.spec.type)) return false
      const found = await objects.get(refOf(call, receiver))
      return found !== undefined && (found.expires ?? 0) > clock.now()
    },
    remember: async (call, receiver) => {
      if (!tellEventsApart.has(receiver.spec.type)) return
      const expires = clock.now() + keptMs
      try {
        await objects.commit({ op: 'create', ref: refOf(call, receiver), body: '{}', refersTo: [], expires })
      } catch (error) {
        if (!(error instanceof StoreError && error.code === 'exists')) throw error
      }
    },
  }
}
