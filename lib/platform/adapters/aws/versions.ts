import type { Clock } from '../../ports/clock.ts'
import { versionsKey } from './item-keys.ts'
import { type Item, number, numberOf, type Table, text } from './table.ts'

/** The version counter of a collection; all zero before its first change. */
export interface Counter {
  /** The last version taken. */
  readonly last: number
  /** When it was taken, in milliseconds since the epoch. */
  readonly at: number
  /** Every version up to this one has a change or is void. Later ones may still be in progress. */
  readonly settled: number
  readonly settledAt: number
  /** Pairs of a version and a time by which it had been taken, the oldest first: they show which versions are old enough to drop. */
  readonly marks: readonly Mark[]
}

/**
 * Every commit of a collection writes its counter, which costs a write unit per KB. So the marks within the time that changes are kept are limited,
 * however often the collection is settled; changes may be kept longer by a fraction of that time.
 */
const maxMarks = 14

type Mark = readonly [version: number, at: number]

/** Issues the versions of collections, each once. The counter is the only item that all writers of a collection share. */
export interface Versions {
  read(collection: string): Promise<Counter>
  /**
   * Takes the next version, which is the `last` of the result. Callers during a pending request of this process share the next one: the counter's
   * partition accepts a thousand requests a second, however many versions each takes.
   */
  take(collection: string): Promise<Counter>
  /** Records how far the collection is settled. Does nothing if another process has recorded it in the meantime. */
  settle(collection: string, before: Counter, settled: number): Promise<void>
  /** Changes up to the returned version may be dropped. */
  forgotten(counter: Counter): number
}

/** Callers that share a request. */
interface Shared {
  count: number
  readonly taken: Promise<Counter>
}

/**
 * The versions of all collections in `table`. Changes are kept for `keepMs` milliseconds, as far as `maxMarks` allows.
 */
export const versionsOf = (table: Table, clock: Clock, keepMs: number): Versions => {
  const pending = new Map<string, Promise<unknown>>()
  const next = new Map<string, Shared>()

  const takeAll = async (collection: string, count: number): Promise<Counter> => {
    const item = await table.update({
      key: versionsKey(collection),
      update: 'ADD #last :count SET #at = :now',
      values: { ':count': number(count), ':now': number(clock.now()) },
    })
    return counterIn(item!)
  }

  /** The request that is sent after the pending one. */
  const shared = (collection: string): Shared => {
    const open = next.get(collection)
    if (open) return open
    const before = Promise.resolve(pending.get(collection)).catch(() => {})
    const taken = before.then(() => {
      next.delete(collection)
      pending.set(collection, taken)
      return takeAll(collection, made.count)
    })
    const ended = () => {
      if (pending.get(collection) === taken) pending.delete(collection)
    }
    taken.then(ended, ended)
    const made: Shared = { count: 0, taken }
    next.set(collection, made)
    return made
  }

  return {
    read: async collection => counterIn((await table.get(versionsKey(collection))) ?? {}),

    take: async collection => {
      const request = shared(collection)
      const place = ++request.count
      const counter = await request.taken
      return { ...counter, last: counter.last - request.count + place }
    },

    settle: async (collection, before, settled) => {
      const now = clock.now()
      const oldEnough = before.marks.findLastIndex(([, at]) => at <= now - keepMs)
      const kept = before.marks.slice(Math.max(0, oldEnough))
      const isTime = now - (kept.at(-1)?.[1] ?? 0) >= keepMs / maxMarks
      const marks: readonly Mark[] = isTime ? [...kept, [settled, now]] : kept
      await table.update({
        key: versionsKey(collection),
        update: 'SET #settled = :settled, #settledAt = :now, #marks = :marks',
        condition: before.settled === 0 ? 'attribute_not_exists(#settled)' : '#settled = :before',
        values: {
          ':settled': number(settled),
          ':now': number(now),
          ':marks': text(JSON.stringify(marks)),
          ...(before.settled > 0 && { ':before': number(before.settled) }),
        },
      })
    },

    forgotten: ({ last, at, marks }) => {
      const horizon = clock.now() - keepMs
      if (at <= horizon) return last
      return marks.findLast(mark => mark[1] <= horizon)?.[0] ?? 0
    },
  }
}

const counterIn = (item: Item): Counter => ({
  last: numberOf(item, 'last') ?? 0,
  at: numberOf(item, 'at') ?? 0,
  settled: numberOf(item, 'settled') ?? 0,
  settledAt: numberOf(item, 'settledAt') ?? 0,
  marks: JSON.parse(item.marks?.S ?? '[]') as Mark[],
})
