import type { Clock } from '../../../lib/platform/ports/clock.ts'

/** A clock that runs fast while nothing happens, and as clocks do while somebody works. */
export interface FastClock extends Clock {
  /** While the work lasts, time is real. */
  whileBusy<T>(work: () => Promise<T>): Promise<T>
  readonly isBusy: boolean
  stop(): void
}

const beatMs = 10

export const fastClock = (speed: number): FastClock => {
  let time = Date.now()
  let busy = 0
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  let last = performance.now()
  const beat = (): void => {
    const now = performance.now()
    time += (now - last) * (busy > 0 ? 1 : speed)
    last = now
    for (const sleeper of [...sleepers].sort((a, b) => a.at - b.at)) if (sleeper.at <= time) sleeper.wake()
  }
  const beating = setInterval(beat, beatMs)

  return {
    now: () => Math.round(time),
    monotonic: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const end = (settle: () => void) => () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', abort)
          settle()
        }
        const abort = end(() => reject(signal?.reason))
        const sleeper = { at: time + ms, wake: end(resolve) }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    async whileBusy(work) {
      beat()
      busy++
      try {
        return await work()
      } finally {
        beat()
        busy--
      }
    },
    get isBusy() {
      return busy > 0
    },
    stop: () => clearInterval(beating),
  }
}
