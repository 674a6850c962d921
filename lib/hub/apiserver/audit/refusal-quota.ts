import type { Clock } from '../../../platform/ports/clock.ts'

/** Refused requests of one caller that are kept in a minute: enough to see an attempt, too few to fill a table by. */
const refusalsPerMinute = 10
const minuteMs = 60_000

/** Whether one more refused request of this caller may be kept, and counts it. Each process counts for itself. */
export const refusalQuota = (clock: Pick<Clock, 'now'>): ((user: string) => boolean) => {
  let minute = 0
  let counts = new Map<string, number>()
  return user => {
    const now = Math.floor(clock.now() / minuteMs)
    if (now !== minute) counts = new Map()
    minute = now
    const count = (counts.get(user) ?? 0) + 1
    counts.set(user, count)
    return count <= refusalsPerMinute
  }
}
