import type { Clock } from '../../platform/ports/clock.ts'

/** Begins at most so many tasks per second, evenly spaced; the others wait in order, and fail when the signal aborts. */
export const pacer = (perSecond: number, clock: Pick<Clock, 'monotonic' | 'sleep'>, signal: AbortSignal) => {
  const intervalMs = 1000 / perSecond
  let next = 0
  return async <T>(task: () => Promise<T>): Promise<T> => {
    const now = clock.monotonic()
    const at = Math.max(now, next)
    next = at + intervalMs
    if (at > now) await clock.sleep(at - now, signal)
    return task()
  }
}
