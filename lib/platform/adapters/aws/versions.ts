import type { Clock } from '../../ports/clock.ts'
import { versionsKey } from './item-keys.ts'
import { type Item, number, numberOf, type Table, text } from './table.ts'

/** What is known of a collection's versions; all zero before its first change. */
export interface Counter {
  /** The last version given out. */
  readonly last: number
  /** When that was. */
  readonly at: number
  /** Every version up to this one has a change or is void. What lies above may still be on its way. */
  readonly settled: number
  readonly settledAt: number
  /** Pairs of a version and a time by which it had been given out, the oldest first: the log's memory of ages. */
  readonly marks: readonly Mark[]
}

/**
 * Every commit of a collection writes its counter, which costs a unit for each KB: however often it is settled, so many marks tell of the
 * time that changes are kept, and changes are forgotten later by a part of that time.
 */
const marksAtOnce = 14

type Mark = readonly [version: number, at: number]

/** Gives out the versions of collections, each once: the only item that all writers of a collection meet at. */
export interface Versions {
  read(collection: string): Promise<Counter>
  /**
   * Takes the next version, which is then `last`. Those who ask while a request of this process is under way share the next one: the
   * counter's partition takes a thousand requests a second, whatever each of them asks for.
   */
  take(collection: string): Promise<Counter>
  /** Notes how far the collection is settled. Whoever comes late, or knows less, changes nothing. */
  settle(collection: string, before: Counter, settled: number): Promise<void>
  /** Changes up to this version are forgotten. */
  forgotten(counter: Counter): number
}

/** Takers who share a request. */
interface Shared {
  count: number
  readonly taken: Promise<Counter>
}

export const versionsOf = (table: Table, clock: Clock, keepMs: number): Versions => {
  const underWay = new Map<string, Promise<unknown>>()
  const next = new Map<string, Shared>()

  const takeAll = async (collection: string, count: number): Promise<Counter> => {
    const item = await table.update({
      key: versionsKey(collection),
      update: 'ADD #last :count SET #at = :now',
      values: { ':count': number(count), ':now': number(clock.now()) },
    })
    return counterIn(item!)
  }

  /** The request that is not sent yet: it follows the one that is under way. */
  const shared = (collection: string): Shared => {
    const open = next.get(collection)
    if (open) return open
    const before = Promise.resolve(underWay.get(collection)).catch(() => {})
    const taken = before.then(() => {
      next.delete(collection)
      underWay.set(collection, taken)
      return takeAll(collection, made.count)
    })
    const ended = () => {
      if (underWay.get(collection) === taken) underWay.delete(collection)
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
      const isTime = now - (kept.at(-1)?.[1] ?? 0) >= keepMs / marksAtOnce
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
