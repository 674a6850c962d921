/** The clock of this process, which a bench can put forward: for whatever asks the time of the day or how much of it has passed. */
export interface VirtualTime {
  /** Milliseconds since the epoch. */
  now(): number
  /** Puts the clock forward to a time; one that has passed changes nothing. */
  moveTo(time: number): void
}

/** Timers go on as before: only what is asked of the clock differs. */
export const virtualTime = (): VirtualTime => {
  let ahead = 0
  const now = Date.now.bind(Date)
  const monotonic = performance.now.bind(performance)
  Date.now = () => now() + ahead
  performance.now = () => monotonic() + ahead
  return {
    now: () => Date.now(),
    moveTo: time => {
      ahead += Math.max(0, time - Date.now())
    },
  }
}
