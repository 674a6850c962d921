import type { Clock } from '../../platform/ports/clock.ts'

export interface Deadline {
  /** Aborts when the time has passed. */
  readonly signal: AbortSignal
  stop(): Promise<void>
}

/** The end of a pass that may take `ms` milliseconds. */
export const startDeadline = (clock: Pick<Clock, 'sleep'>, ms: number): Deadline => {
  const passed = new AbortController()
  const stopped = new AbortController()
  const timer = clock.sleep(ms, stopped.signal).then(
    () => passed.abort(new Error(`not finished after ${ms / 1000} s`)),
    () => {},
  )
  return {
    signal: passed.signal,
    stop() {
      stopped.abort('finished')
      return timer
    },
  }
}
