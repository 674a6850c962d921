import { RecentlyUsed } from '../../../foundations/budget/recently-used.ts'

/** Maximum number of results; the oldest go first. */
const maxKnown = 2_000

/** The queries that have found nothing: passes list policies, Alerts and Clusters, and most hubs have none. */
export interface KnownEmpty {
  /** Whether a whole, such as a collection, or this part of it is known to be empty. */
  has(whole: string, part: string | undefined): boolean
  /** Keeps that a query has found nothing. */
  add(whole: string, part: string | undefined): void
  /** Something is in the whole, and in this part. */
  delete(whole: string, part: string): void
}

/** Nothing is known at first. For the queries of one process, which is the only one that writes. */
export const knownEmpty = (): KnownEmpty => {
  const known = new RecentlyUsed<true>(maxKnown)
  const keyOf = (whole: string, part: string) => `${whole} ${part}`
  return {
    has: (whole, part) =>
      known.peek(whole) !== undefined || (part !== undefined && known.peek(keyOf(whole, part)) !== undefined),
    add: (whole, part) => known.set(part === undefined ? whole : keyOf(whole, part), true),
    delete: (whole, part) => {
      known.delete(whole)
      known.delete(keyOf(whole, part))
    },
  }
}
