import type { Clock } from '../../ports/clock.ts'
import type { DeliveryOutcome, DeliveryPlace, DeliveryRecord, DeliveryStore, QuotaUse } from '../../ports/deliveries.ts'
import { sortableNumber } from './item-keys.ts'
import { bytes, type Item, type Key, number, numberOf, type Table, text, textOf } from './table.ts'
import { deliveryPartitions } from './table-shape.ts'

/**
 * Everything of a Receiver has its own partitions: an item per delivery in the order of time, with the outcomes as attributes, and one without
 * content per processed request. Each write is one unit as long as the item is at most 1 KB. DynamoDB deletes them some time after they have expired.
 */
export const dynamoDeliveries = (table: Table, clock: Pick<Clock, 'now'>): DeliveryStore => {
  const isKept = (item: Item | undefined): item is Item =>
    item !== undefined && numberOf(item, 'ttl')! > clock.now() / 1000
  const found = async (key: Key): Promise<Item | undefined> => {
    const item = await table.get(key)
    return isKept(item) ? item : undefined
  }

  return {
    add: async ({ body, used, expires, payload, ...place }) => {
      // Not a put: an object may be ready before the record of its delivery is stored.
      await table.update({
        key: keyOf(place),
        update: 'SET #body = :body, #used = :used, #ttl = :ttl',
        values: { ':body': bytes(body), ':used': text(JSON.stringify(used)), ':ttl': seconds(expires) },
      })
      if (payload) await table.put({ ...itemOf(payloadKey(place), payload.expires), body: bytes(payload.body) })
    },
    addOutcome: async (place, { index, ...outcome }) => {
      await table.update({
        key: keyOf(place),
        update: `SET #${outcomePrefix}${index} = :outcome, #ttl = if_not_exists(#ttl, :ttl)`,
        values: { ':outcome': text(JSON.stringify(outcome)), ':ttl': seconds(outcome.at + dayMs) },
      })
    },
    get: async place => {
      const item = await found(keyOf(place))
      return item?.body && recordOf(item)
    },
    payload: async place => (await found(payloadKey(place)))?.body?.B,
    page: async ({ receiver, before, since = 0, limit }) => {
      const records: DeliveryRecord[] = []
      const query = {
        pk: `${deliveryPartitions.records}${receiver}`,
        where: '#sk BETWEEN :from AND :to',
        filter: '#ttl > :now',
        values: {
          ':from': text(sortableNumber(since)),
          ':to': text(before ? sortKey(before) : '~'),
          ':now': number(Math.floor(clock.now() / 1000)),
        },
        // One more than the limit, as BETWEEN includes the upper end, which is skipped.
        pageSize: limit + 1,
        newestFirst: true,
      }
      for await (const item of table.query(query)) {
        if (!item.body || (before && textOf(item, 'sk') === sortKey(before))) continue
        records.push(recordOf(item))
        if (records.length === limit) break
      }
      return records
    },
    wasProcessed: async (receiver, request) => (await found(requestKey(receiver, request))) !== undefined,
    markProcessed: async (receiver, request, expires) => {
      await table.put(itemOf(requestKey(receiver, request), expires))
    },
  }
}

const dayMs = 24 * 60 * 60_000
const outcomePrefix = 'outcome'

const seconds = (ms: number) => number(Math.ceil(ms / 1000))

const sortKey = ({ startedAt, name }: Omit<DeliveryPlace, 'receiver'>): string => `${sortableNumber(startedAt)}#${name}`

const keyOf = (place: DeliveryPlace): Key => ({
  pk: `${deliveryPartitions.records}${place.receiver}`,
  sk: sortKey(place),
})
const payloadKey = (place: DeliveryPlace): Key => ({
  ...keyOf(place),
  pk: `${deliveryPartitions.payloads}${place.receiver}`,
})
const requestKey = (receiver: string, request: string): Key => ({
  pk: `${deliveryPartitions.requests}${receiver}`,
  sk: request,
})

const itemOf = ({ pk, sk }: Key, expires: number): Item => ({ pk: text(pk), sk: text(sk), ttl: seconds(expires) })

const recordOf = (item: Item): DeliveryRecord => {
  const [, receiver = ''] = textOf(item, 'pk').split('#')
  const [started, name = ''] = textOf(item, 'sk').split('#')
  return {
    receiver,
    startedAt: Number(started),
    name,
    body: item.body!.B!,
    used: JSON.parse(textOf(item, 'used')) as QuotaUse,
    expires: numberOf(item, 'ttl')! * 1000,
    outcomes: Object.keys(item)
      .filter(attribute => attribute.startsWith(outcomePrefix))
      .map(attribute => ({
        ...(JSON.parse(textOf(item, attribute)) as Omit<DeliveryOutcome, 'index'>),
        index: Number(attribute.slice(outcomePrefix.length)),
      }))
      .sort((a, b) => a.index - b.index),
  }
}
