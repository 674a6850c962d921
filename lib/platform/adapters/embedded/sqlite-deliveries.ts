import type { Clock } from '../../ports/clock.ts'
import type { DeliveryOutcome, DeliveryPlace, DeliveryRecord, DeliveryStore, QuotaUse } from '../../ports/deliveries.ts'
import type { Database } from './database.ts'
import type { Writer } from './group-commit.ts'

/** Limits over all Receivers, each of which has a quota: beyond these the oldest are deleted. */
export interface DeliveryBounds {
  readonly deliveries: number
  readonly payloads: number
  /** The number of additions between two checks. */
  readonly checkedEvery: number
}

/** About 100 MB of records, and at most 64 MB of payloads. */
const defaultBounds: DeliveryBounds = { deliveries: 100_000, payloads: 2_000, checkedEvery: 100 }

/** Maximum number of rows that a write deletes because they have expired: one write adds two. */
const deletedAtOnce = 20

/** Deliveries in tables of the hub's database. */
export const sqliteDeliveries = (
  { sql }: Database,
  writer: Writer,
  clock: Pick<Clock, 'now'>,
  bounds: DeliveryBounds = defaultBounds,
): DeliveryStore => {
  const key = 'receiver, started, name'
  const at = 'receiver = :receiver AND started = :started AND name = :name'
  const put = sql.prepare(
    `INSERT INTO deliveries (${key}, body, used, expires, payload, payload_expires) VALUES (:receiver, :started, :name, :body, :used, :expires, :payload, :payloadExpires)
       ON CONFLICT DO UPDATE SET body = :body, used = :used, expires = :expires, payload = :payload, payload_expires = :payloadExpires`,
  )
  const putOutcome = sql.prepare(
    `INSERT INTO deliveries (${key}, outcomes, expires) VALUES (:receiver, :started, :name, json_object(:index, json(:outcome)), :expires)
       ON CONFLICT DO UPDATE SET outcomes = json_set(outcomes, '$."' || :index || '"', json(:outcome))`,
  )
  const get = sql.prepare(`SELECT * FROM deliveries WHERE ${at} AND body IS NOT NULL AND expires > :now`)
  const payloadOf = sql.prepare(`SELECT payload FROM deliveries WHERE ${at} AND payload_expires > :now`)
  const page = sql.prepare(
    `SELECT ${key}, body, used, outcomes, expires FROM deliveries WHERE receiver = :receiver AND started >= :since
       AND (started, name) < (:started, :name) AND body IS NOT NULL AND expires > :now ORDER BY started DESC, name DESC LIMIT :limit`,
  )
  const processed = sql.prepare('SELECT 1 FROM processed_requests WHERE receiver = ? AND request = ? AND expires > ?')
  const putProcessed = sql.prepare('INSERT OR REPLACE INTO processed_requests VALUES (?, ?, ?)')
  const dropExpired = [
    `DELETE FROM deliveries WHERE (${key}) IN (SELECT ${key} FROM deliveries WHERE expires <= ? LIMIT ${deletedAtOnce})`,
    `DELETE FROM processed_requests WHERE (receiver, request) IN (SELECT receiver, request FROM processed_requests WHERE expires <= ? LIMIT ${deletedAtOnce})`,
    'UPDATE deliveries SET payload = NULL, payload_expires = NULL WHERE payload_expires <= ?',
  ].map(text => sql.prepare(text))
  const dropOldest = sql.prepare(
    `DELETE FROM deliveries WHERE (${key}) IN (SELECT ${key} FROM deliveries ORDER BY started DESC LIMIT -1 OFFSET ?)`,
  )
  const dropOldestPayloads = sql.prepare(
    `UPDATE deliveries SET payload = NULL, payload_expires = NULL WHERE (${key}) IN
       (SELECT ${key} FROM deliveries WHERE payload_expires IS NOT NULL ORDER BY payload_expires DESC LIMIT -1 OFFSET ?)`,
  )
  let added = 0

  const makeRoom = (): void => {
    for (const drop of dropExpired) drop.run(clock.now())
    if (++added % bounds.checkedEvery !== 0) return
    dropOldest.run(bounds.deliveries)
    dropOldestPayloads.run(bounds.payloads)
  }

  return {
    add: async ({ body, used, expires, payload, ...place }) => {
      const row = { ...keyOf(place), body, used: JSON.stringify(used), expires }
      await writer.write(() => {
        put.run({ ...row, payload: payload?.body ?? null, payloadExpires: payload?.expires ?? null })
        makeRoom()
      })
    },
    addOutcome: async (place, { index, ...outcome }) => {
      const row = { ...keyOf(place), index: String(index), outcome: JSON.stringify(outcome) }
      await writer.write(() => putOutcome.run({ ...row, expires: outcome.at + dayMs }))
    },
    get: async place =>
      writer.read(() => {
        const row = get.get({ ...keyOf(place), now: clock.now() })
        return row && recordOf(row as unknown as Row)
      }),
    payload: async place =>
      writer.read(() => {
        const row = payloadOf.get({ ...keyOf(place), now: clock.now() })
        return row?.payload as Uint8Array | undefined
      }),
    page: async ({ receiver, before = last, since = 0, limit }) =>
      writer.read(() => {
        const query = { receiver, since, started: before.startedAt, name: before.name, now: clock.now(), limit }
        return (page.all(query) as unknown as Row[]).map(recordOf)
      }),
    wasProcessed: async (receiver, request) =>
      writer.read(() => processed.get(receiver, request, clock.now()) !== undefined),
    markProcessed: async (receiver, request, expires) => {
      await writer.write(() => putProcessed.run(receiver, request, expires))
    },
  }
}

const dayMs = 24 * 60 * 60_000
const last = { startedAt: Number.MAX_SAFE_INTEGER, name: '' }

interface Row {
  readonly receiver: string
  readonly started: number
  readonly name: string
  readonly body: Uint8Array
  readonly used: string
  readonly outcomes: string
  readonly expires: number
}

const keyOf = ({ receiver, startedAt, name }: DeliveryPlace) => ({ receiver, started: startedAt, name })

const recordOf = ({ receiver, started, name, body, used, outcomes, expires }: Row): DeliveryRecord => ({
  ...{ receiver, startedAt: started, name, body, expires },
  used: JSON.parse(used) as QuotaUse,
  outcomes: Object.entries(JSON.parse(outcomes) as Record<string, Omit<DeliveryOutcome, 'index'>>)
    .map(([index, outcome]) => ({ ...outcome, index: Number(index) }))
    .sort((a, b) => a.index - b.index),
})
