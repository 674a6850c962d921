import { createHash } from 'node:crypto'
import { at } from '../../foundations/kinds/json-path.ts'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryStore } from '../../platform/ports/deliveries.ts'
import { jsonBody, type WebhookCall } from './call.ts'
import { isStandardWebhook } from './standard-webhooks.ts'
import type { VerifiedRequest } from './verify-request.ts'

/** Records processed requests, so that a replay does nothing. */
export interface ProcessedRequests {
  includes(request: ReceivedRequest): Promise<boolean>
  /** Called after all objects were triggered: senders repeat failed requests. */
  add(request: ReceivedRequest): Promise<void>
}

/** A verified request. */
export interface ReceivedRequest {
  readonly call: WebhookCall
  readonly receiver: Receiver
  readonly verified: Pick<VerifiedRequest, 'claims'>
}

const keptMs = 24 * 60 * 60_000

/** Forges and registries whose payloads contain a commit or digest, so that no two events have the same body. */
const namesVersion = /[0-9a-f]{40}|sha256:[0-9a-f]{64}/
const withVersions: ReadonlySet<ReceiverType> = new Set(['github', 'gitlab', 'bitbucket', 'harbor', 'nexus'])

/** Senders with a unique id or a time in each event's body. */
const identifiersIn: Readonly<Partial<Record<ReceiverType, readonly string[]>>> = {
  gcr: ['message', 'messageId'],
  acr: ['id'],
  cdevents: ['context', 'id'],
  dockerhub: ['push_data', 'pushed_at'],
}

export const deliveryHeaders = [
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
 * Distinguishes a request from others with the same body: '' if the body itself is unique, otherwise a signed value
 * (Standard Webhooks, tokens), otherwise an unsigned header. Undefined for senders whose events may have identical
 * bytes.
 */
const identifierOf = ({ call, receiver, verified: { claims } }: ReceivedRequest): string | undefined => {
  const { type } = receiver.spec
  const path = identifiersIn[type]
  if (path) return at(jsonBody(call, 'webhook payload'), ...path) === undefined ? undefined : ''
  if (isStandardWebhook(call) && (type === 'gitlab' || type === 'generic-hmac')) return call.header('webhook-id')
  if (type === 'generic-oidc') return claims?.jti
  if (!withVersions.has(type)) return undefined
  return namesVersion.test(Buffer.from(call.body).toString('latin1')) ? '' : firstOf(call, deliveryHeaders)
}

/** The first of these headers that the call has. */
export const firstOf = ({ header }: WebhookCall, names: readonly string[]): string | undefined =>
  names.map(header).find(value => value !== undefined)

const nameOf = (request: ReceivedRequest): string | undefined => {
  const { call } = request
  const identifier = identifierOf(request)
  if (identifier === undefined) return undefined
  return createHash('sha256')
    .update(JSON.stringify([identifier, firstOf(call, eventHeaders)]))
    .update(call.body)
    .digest('hex')
}

/**
 * Names are hashes of the request's identifier, event and body, kept as long as a copy may be sent again. Requests
 * without an identifier are never in it.
 */
export const createProcessedRequests = (
  store: Pick<DeliveryStore, 'wasProcessed' | 'markProcessed'>,
  clock: Pick<Clock, 'now'>,
): ProcessedRequests => ({
  includes: async request => {
    const name = nameOf(request)
    return name !== undefined && store.wasProcessed(receiverOf(request), name)
  },
  add: async request => {
    const name = nameOf(request)
    if (name !== undefined) await store.markProcessed(receiverOf(request), name, clock.now() + keptMs)
  },
})

const receiverOf = ({ receiver }: ReceivedRequest): string => receiver.metadata.uid ?? ''
