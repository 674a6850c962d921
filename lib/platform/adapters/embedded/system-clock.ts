import type { Clock } from '../../ports/clock.ts'

/** Maximum delay of a Node timer. */
const maxTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const end = performance.now() + ms
      const awake = () => {
        const rest = end - performance.now()
        if (rest > 0) {
          timer = setTimeout(awake, Math.min(rest, maxTimerMs))
          return
        }
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      let timer = setTimeout(awake, Math.min(Math.max(ms, 0), maxTimerMs))
      signal?.addEventListener('abort', abort, { once: true })
    }),
}
