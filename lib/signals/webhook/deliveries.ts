import { createHash } from 'node:crypto'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ObjectStore, StoreError } from '../../platform/ports/objects.ts'
import { at, jsonBody, type WebhookCall } from './call.ts'
import { isStandardWebhook } from './standard-webhooks.ts'
import type { VerifiedRequest } from './verify-request.ts'

/** Remembers which requests have been acted upon, so that a recorded one that is sent again costs nothing. */
export interface Deliveries {
  wasHandled(delivery: Delivery): Promise<boolean>
  /** Once all objects have been asked: a sender repeats what failed. */
  remember(delivery: Delivery): Promise<void>
}

/** A request that is proven. */
export interface Delivery {
  readonly call: WebhookCall
  readonly receiver: Receiver
  readonly proven: Pick<VerifiedRequest, 'claims'>
}

const keptMs = 24 * 60 * 60_000

/** Forges and registries whose bodies name a commit or a digest: then no two events of theirs have the same body. */
const namesVersion = /[0-9a-f]{40}|sha256:[0-9a-f]{64}/
const proven: ReadonlySet<ReceiverType> = new Set(['github', 'gitlab', 'bitbucket', 'harbor', 'nexus'])

/** Senders that give each event an identifier, or a time, in its body. */
const identifiersIn: Readonly<Partial<Record<ReceiverType, readonly string[]>>> = {
  gcr: ['message', 'messageId'],
  acr: ['id'],
  cdevents: ['context', 'id'],
  dockerhub: ['push_data', 'pushed_at'],
}

const deliveryHeaders = [
  'X-GitHub-Delivery',
  'X-Gitea-Delivery',
  'X-Gogs-Delivery',
  'X-Gitlab-Event-UUID',
  'X-Request-UUID',
  'X-Request-Id',
  'X-Nexus-Webhook-Delivery',
]
const eventHeaders = ['X-GitHub-Event', 'X-Gitlab-Event', 'X-Event-Key', 'Ce-Type']

/**
 * What tells a request from others with the same body: nothing where the body itself does, else what the sender has signed (Standard
 * Webhooks, tokens), else what it merely says. Undefined for a sender that may well send the same bytes each time.
 */
const identifierOf = ({ call, receiver, proven: { claims } }: Delivery): string | undefined => {
  const { type } = receiver.spec
  const path = identifiersIn[type]
  if (path) return at(jsonBody(call, 'webhook payload'), ...path) === undefined ? undefined : ''
  if (isStandardWebhook(call) && (type === 'gitlab' || type === 'generic-hmac')) return call.header('webhook-id')
  if (type === 'generic-oidc') return claims?.jti
  if (!proven.has(type)) return undefined
  return namesVersion.test(Buffer.from(call.body).toString('latin1')) ? '' : firstOf(call, deliveryHeaders)
}

const firstOf = ({ header }: WebhookCall, names: readonly string[]): string | undefined =>
  names.map(header).find(value => value !== undefined)

const nameOf = (delivery: Delivery): string | undefined => {
  const { call, receiver } = delivery
  const identifier = identifierOf(delivery)
  if (identifier === undefined) return undefined
  return createHash('sha256')
    .update(JSON.stringify([receiver.metadata.uid, identifier, firstOf(call, eventHeaders)]))
    .update(call.body)
    .digest('hex')
}

export const createDeliveries = (objects: Pick<ObjectStore, 'get' | 'commit'>, clock: Clock): Deliveries => {
  const refOf = (delivery: Delivery) => {
    const name = nameOf(delivery)
    const namespace = delivery.receiver.metadata.namespace ?? ''
    return name === undefined ? undefined : { group: 'webhook.keelson.dev', kind: 'Delivery', namespace, name }
  }
  return {
    wasHandled: async delivery => {
      const ref = refOf(delivery)
      const found = ref && (await objects.get(ref))
      return found !== undefined && (found.expires ?? 0) > clock.now()
    },
    remember: async delivery => {
      const ref = refOf(delivery)
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
