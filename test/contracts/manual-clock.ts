import type { Clock } from '../../lib/platform/ports/clock.ts'

export interface ManualClock extends Clock {
  /** Lets time pass; whoever's sleep ends meanwhile is awake, and has run, when this resolves. */
  advance(ms: number): Promise<void>
  /** Somebody sets the time, forward or back (negative): nobody's sleep is longer or shorter for it. */
  set(byMs: number): void
}

/** A clock that stands still until a test moves it. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let time = start
  let offset = 0
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()

  return {
    now: () => time + offset,
    monotonic: () => time,
    set: byMs => {
      offset += byMs
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleeper = {
          at: time + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', abort)
            resolve()
          },
        }
        const abort = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    advance: async ms => {
      const end = time + ms
      for (;;) {
        await new Promise(setImmediate)
        const next = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        time = Math.max(time, next?.at ?? end)
        if (!next) return
        next.wake()
      }
    },
  }
}
