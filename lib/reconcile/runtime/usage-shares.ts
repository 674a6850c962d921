import type { Clock } from '../../platform/ports/clock.ts'
import type { Meter } from '../../platform/ports/usage.ts'

/** What one piece of work has used of its process. */
export interface Share {
  readonly readUnits: number
  readonly writeUnits: number
  readonly gbMs: number
}

const fields = ['readUnits', 'writeUnits', 'gbMs'] as const

/** Divides what a process uses evenly among the pieces of work that run at the time: the parts of all make up the whole. */
export interface UsageShares {
  /** Work begins; the result ends it, and is what it has used. */
  begin(): () => Share
}

/** Shares of one process. Without a meter, as embedded, all are zero. */
export const usageShares = (clock: Pick<Clock, 'monotonic'>, meter: Meter | undefined): UsageShares => {
  const running = new Set<Record<keyof Share, number>>()
  const total = () => ({
    ...(meter?.consumed() ?? { readUnits: 0, writeUnits: 0 }),
    gbMs: clock.monotonic() * (meter?.memoryGb ?? 0),
  })
  let last = total()

  const divide = (): void => {
    const now = total()
    for (const share of running) for (const field of fields) share[field] += (now[field] - last[field]) / running.size
    last = now
  }

  return {
    begin: () => {
      divide()
      const share = { readUnits: 0, writeUnits: 0, gbMs: 0 }
      running.add(share)
      return () => {
        if (running.has(share)) divide()
        running.delete(share)
        return share
      }
    },
  }
}
