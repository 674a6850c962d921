import type {
  Delivery,
  DeliveryContent,
  deliveryResults,
  verificationMethods,
} from '../../foundations/kinds/delivery.ts'
import { deliveryName } from '../../foundations/kinds/delivery-names.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import { type DeliveryPayload, deliveryCodec, deliveryPayloadCodec } from '../../hub/deliveries/delivery-codec.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryPlace, DeliveryStore, QuotaUse } from '../../platform/ports/deliveries.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { WebhookCall } from './call.ts'
import { maskingSecrets, recordedHeaders } from './delivery-headers.ts'
import { quotas, useAfter } from './delivery-quota.ts'
import { deliveryHeaders, firstOf } from './processed-requests.ts'
import type { Push } from './push.ts'
import { isStandardWebhook } from './standard-webhooks.ts'

export interface DeliveryLogPorts {
  readonly deliveries: Pick<DeliveryStore, 'add' | 'page'>
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'fraction'>
}

type Result = (typeof deliveryResults)[number]

/** What became of a request. */
export interface Handled {
  readonly result: Result
  readonly status: number
  /** The text of the response. */
  readonly text: string
  readonly verified: boolean
  readonly event?: string | undefined
  readonly sender?: string | undefined
  readonly push?: Push | undefined
  readonly triggered?: readonly KubernetesObject[]
  /** The request as a redelivery needs it; absent if the rest suffices. */
  readonly payload?: DeliveryPayload | undefined
}

export interface ReceivedCall {
  readonly receiver: Receiver
  readonly call: WebhookCall
  readonly headers: Headers
  readonly remoteAddress?: string | undefined
  /** The decoded Secret of the Receiver: its values are never recorded. */
  readonly secret: ReadonlyMap<string, string>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** The delivery that a redelivery repeats. */
export interface Repeated {
  readonly content: DeliveryContent
  readonly name: string
  readonly user: string
}

/** Records the calls of webhooks, within the quota of their Receiver. */
export interface DeliveryLog {
  /** The place of a new record. */
  placeOf(receiver: Receiver, startedAt: number): DeliveryPlace
  /** False if the Receiver's quota is used up: then nothing is written. */
  record(place: DeliveryPlace, call: ReceivedCall, handled: Handled): Promise<boolean>
  /** Redeliveries are requested by users, and don't use the quota. */
  recordRepeated(place: DeliveryPlace, repeated: Repeated, handled: Handled): Promise<void>
}

const dayMs = 24 * 60 * 60_000
const keptMs = 7 * dayMs
const payloadKeptMs = dayMs

/** The limits of a record: objects and versions that are listed, characters of a text, bytes of a sealed payload. */
const bounds = { objects: 20, versions: 20, repositories: 8, text: 300, payload: 32 * 1024 }

/**
 * The log over a platform's store, in which content is sealed. Records are kept for seven days, payloads for one, and
 * for redelivery only.
 */
export const createDeliveryLog = ({ deliveries, keys, clock, random }: DeliveryLogPorts): DeliveryLog => {
  const codec = deliveryCodec(keys)
  const payloads = deliveryPayloadCodec(keys)

  const sealedPayload = async (place: DeliveryPlace, payload: DeliveryPayload | undefined) => {
    const body = payload && (await payloads.encode(place, payload))
    if (!body || body.length > bounds.payload) return undefined
    return { body, expires: clock.now() + payloadKeptMs }
  }

  const usedAt = async ({ receiver }: DeliveryPlace): Promise<QuotaUse> =>
    (await deliveries.page({ receiver, limit: 1 }))[0]?.used ?? { verified: 0, refused: 0 }

  const write = async (
    place: DeliveryPlace,
    used: QuotaUse,
    content: DeliveryContent,
    { payload }: Handled,
  ): Promise<void> => {
    const kept = await sealedPayload(place, payload)
    const body = await codec.encode(place, content)
    await deliveries.add({ ...place, body, used, expires: place.startedAt + keptMs, ...(kept && { payload: kept }) })
  }

  const endOf = (startedAt: number) => ({
    startedAt: new Date(startedAt).toISOString(),
    durationMs: Math.max(0, Math.round(clock.now() - startedAt)),
  })

  return {
    placeOf: ({ metadata }, startedAt) => ({
      receiver: metadata.uid ?? '',
      startedAt,
      name: deliveryName(metadata.name, startedAt, random.fraction()),
    }),
    record: async (place, received, handled) => {
      const used = await usedAt(place)
      const part = handled.verified ? 'verified' : 'refused'
      const now = useAfter(quotas[part], used[part], place.startedAt)
      if (now === undefined) return false
      const content = { ...describeCall(received, handled), ...endOf(place.startedAt) }
      await write(place, { ...used, [part]: now }, content, handled)
      return true
    },
    recordRepeated: async (place, { content, name, user }, handled) => {
      const { objects: _, moreObjects: __, ...request } = content
      const repeated = { ...request, ...describeResult(handled, text => text), redelivers: name, redeliveredBy: user }
      await write(place, await usedAt(place), { ...repeated, ...endOf(place.startedAt) }, handled)
    },
  }
}

const describeCall = (
  { receiver, call, headers, remoteAddress, secret }: ReceivedCall,
  handled: Handled,
): Omit<DeliveryContent, 'startedAt' | 'durationMs'> => {
  const masked = maskingSecrets(secret)
  const short = (value: string) => masked(value.replaceAll(/\p{C}/gu, '')).slice(0, bounds.text)
  const { verified, event, sender, push } = handled
  const id = firstOf(call, [...deliveryHeaders, 'webhook-id', 'ce-id'])
  return {
    receiver: { name: receiver.metadata.name, type: receiver.spec.type },
    ...(event && { event: short(event) }),
    ...(id && { id: short(id) }),
    ...(sender && { sender: short(sender) }),
    ...(remoteAddress && { remoteAddress }),
    headers: recordedHeaders(headers, masked),
    bodyBytes: call.body.length,
    verification: {
      verified,
      method: methodOf(receiver, call, secret),
      ...(!verified && { message: short(handled.text) }),
    },
    ...describeResult(handled, short),
    ...describePush(push, short),
  }
}

const describeResult = ({ result, status, text, triggered = [] }: Handled, short: (text: string) => string) => ({
  result,
  status,
  message: short(text),
  ...(triggered.length > 0 && {
    objects: triggered.slice(0, bounds.objects).map(({ apiVersion, kind, metadata }) => ({
      ...{ apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name },
    })),
  }),
  ...(triggered.length > bounds.objects && { moreObjects: triggered.length - bounds.objects }),
})

/** Nothing of a push to more branches and tags than are recorded: a redelivery then triggers all objects. */
const describePush = (push: Push | undefined, short: (text: string) => string): Pick<Delivery, 'push'> => {
  if (!push || push.versions.length > bounds.versions) return {}
  const { repositories, versions, contents } = push
  return {
    push: {
      repositories: [...repositories].slice(0, bounds.repositories).map(short),
      versions: versions.map(name => {
        const content = contents.get(name)
        return { name: short(name), ...(content && { content }) }
      }),
    },
  }
}

/** The push that a record describes. */
export const recordedPush = ({ push }: DeliveryContent): Push | undefined =>
  push && {
    repositories: new Set(push.repositories),
    versions: push.versions.map(({ name }) => name),
    contents: new Map(push.versions.flatMap(({ name, content }) => (content ? [[name, content]] : []))),
  }

type Method = (typeof verificationMethods)[number]

const methods: Readonly<Partial<Record<ReceiverType, Method>>> = {
  github: 'Signature',
  bitbucket: 'Signature',
  nexus: 'Signature',
  'generic-hmac': 'Signature',
  gitlab: 'Token',
  harbor: 'Token',
  gcr: 'IdentityToken',
  'generic-oidc': 'IdentityToken',
}

const methodOf = ({ spec }: Receiver, call: WebhookCall, secret: ReadonlyMap<string, string>): Method => {
  if (spec.type === 'gitlab' && isStandardWebhook(call)) return 'Signature'
  const byHeader = secret.has('authorization') || secret.has('username')
  return methods[spec.type] ?? (byHeader ? 'Authorization' : 'Path')
}
