import type { Delivery, DeliveryContent } from '../../foundations/kinds/delivery.ts'
import { delivery as deliveryKind } from '../../foundations/kinds/delivery.ts'
import { isOfReceiver, parseDeliveryName } from '../../foundations/kinds/delivery-names.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { receiver as receiverKind } from '../../foundations/kinds/receiver.ts'
import type { DeliveryOutcome, DeliveryRecord, DeliveryStore } from '../../platform/ports/deliveries.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import { type RecordReader, type RecordScope, recordReader } from '../records/record-reader.ts'
import { recordUid } from '../records/record-uid.ts'
import type { Hub } from '../store/hub.ts'
import { rfc3339 } from '../store/time.ts'
import { deliveryCodec } from './delivery-codec.ts'

export interface DeliveryReaderPorts {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'page'>
  readonly keys: Keys
  readonly hub: Pick<Hub, 'get' | 'list'>
}

/** A delivery as it is stored, with the Receiver that it belongs to. */
export interface FoundDelivery {
  readonly receiver: Receiver
  readonly record: DeliveryRecord
  readonly content: DeliveryContent
}

/** Repeats a delivery for a user; resolves to the name of the new one. Fails with BadRequest if it can't be repeated. */
export type Redeliver = (delivery: FoundDelivery, user: string) => Promise<string>

export interface DeliveryReader extends RecordReader {
  /** Undefined if there is none of this name, or its Receiver is no more. */
  find(namespace: string, name: string): Promise<FoundDelivery | undefined>
}

const { group, kind } = receiverKind

/** Deliveries of the Receivers that there are, as objects of the API. */
export const deliveryReader = ({ deliveries, keys, hub }: DeliveryReaderPorts): DeliveryReader => {
  const codec = deliveryCodec(keys)

  const find = async (namespace: string, name: string): Promise<FoundDelivery | undefined> => {
    const place = parseDeliveryName(name)
    if (!place) return undefined
    const named = await hub.get<Receiver>({ group, kind, namespace, name: place.prefix })
    const { items } = named ? { items: [named] } : await hub.list<Receiver>({ group, kind, namespace })
    for (const receiver of items) {
      if (!isOfReceiver(place.prefix, receiver.metadata.name)) continue
      const record = await deliveries.get({ ...place, receiver: uidOf(receiver) })
      if (record) return { receiver, record, content: await codec.decode(record, record.body) }
    }
    return undefined
  }

  const reader = recordReader<RecordScope & { readonly receiver: string }, DeliveryRecord>({
    kind: deliveryKind as unknown as Kind,
    get: async ({ namespace, name }) => {
      const found = await find(namespace, name)
      return found && asObject(namespace, found.record, found.content)
    },
    scopesOf: async (namespace, required) => {
      const wanted = required('receiver.name')
      const { items } = await hub.list<Receiver>({ group, kind, ...(namespace !== undefined && { namespace }) })
      return items
        .filter(({ metadata }) => wanted === undefined || metadata.name === wanted)
        .map(receiver => ({ namespace: receiver.metadata.namespace ?? '', receiver: uidOf(receiver), since: 0 }))
    },
    page: ({ receiver }, query) => deliveries.page({ ...query, receiver }),
    objectOf: async ({ namespace }, record) => asObject(namespace, record, await codec.decode(record, record.body)),
  })
  return { ...reader, find }
}

const uidOf = ({ metadata }: Receiver): string => metadata.uid ?? ''

const asObject = (namespace: string, record: DeliveryRecord, content: DeliveryContent): Delivery => {
  const { name, receiver, startedAt, outcomes } = record
  const prefix = deliveryKind.group
  return {
    apiVersion: `${prefix}/v1alpha1`,
    kind: deliveryKind.kind,
    metadata: {
      name,
      namespace,
      uid: recordUid(`${receiver} ${name}`),
      resourceVersion: String(Math.max(startedAt, ...outcomes.map(({ at }) => at))),
      creationTimestamp: rfc3339(startedAt),
      labels: {
        ...(content.receiver.name.length <= 63 && { [`${prefix}/receiver`]: content.receiver.name }),
        [`${prefix}/result`]: content.result,
      },
    },
    ...content,
    ...(content.objects && { objects: content.objects.map(withOutcome(startedAt, outcomes)) }),
  }
}

type Target = NonNullable<DeliveryContent['objects']>[number]

const withOutcome =
  (startedAt: number, outcomes: readonly DeliveryOutcome[]) =>
  (target: Target, index: number): Target => {
    const outcome = outcomes.find(one => one.index === index)
    if (!outcome) return target
    const { ready, reason, revision, at } = outcome
    return { ...target, ready, reason, ...(revision !== undefined && { revision }), readyAfterMs: at - startedAt }
  }
