import type { Usage, UsageOf } from '../../foundations/rules/usage.ts'

/** Daily sums of what passes use, by namespace and cluster, kept for 400 days. They are not exact: a process that dies loses the last ones. */
export interface UsageStore {
  /** One check at rest in so many is to be stored, multiplied: a write for each would cost more than the check. */
  readonly checksPerRecord: number
  /** Adds to the sums of a day. */
  add(day: UsageDay, usage: Usage): Promise<void>
  /** The sums of a namespace, of this day (YYYY-MM-DD) and later ones. */
  read(namespace: string, since: string): Promise<readonly (UsageDay & UsageOf)[]>
}

export interface UsageDay extends Pick<UsageOf, 'namespace' | 'cluster'> {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string
}

/** How many days sums are kept. */
export const usageDays = 400

/** The day of a time in milliseconds since the epoch, in UTC: `2026-11-29`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** What a process has used of its platform so far. */
export interface Consumption {
  readonly readUnits: number
  readonly writeUnits: number
}

/** What the platform bills; absent where it bills nothing. */
export interface Meter {
  /** Since the process began. */
  consumed(): Consumption
  readonly memoryGb: number
}
