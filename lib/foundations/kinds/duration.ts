/** Go's durations (`1h30m`, `9m30s`) in milliseconds, which is how this project counts time. */
import { durationText, MILLISECOND, parseDuration as parseNanoseconds } from '../go/duration.ts'

/** Milliseconds of a Go duration such as `1h30m`; undefined when it is none. A bare `0` is one, a bare `5` is not. */
export const parseDuration = (duration: string): number | undefined => {
  try {
    const ns = parseNanoseconds(duration)
    // Whole milliseconds apart from the rest, here and below: all nanoseconds of a long duration would not fit a number exactly.
    return Number(ns / MILLISECOND) + Number(ns % MILLISECOND) / 1e6
  } catch {
    return undefined
  }
}

/** Milliseconds of a duration that a schema has already validated. Throws on anything else: that is a bug. */
export const durationMs = (duration: string): number => {
  const ms = parseDuration(duration)
  if (ms === undefined) throw new Error(`not a duration: ${JSON.stringify(duration)}`)
  return ms
}

/** As Go prints it: `9m30s`, `1m0s`, `1h0m0s`, `1.5s`, `250ms`, `0s`. Fractions below a nanosecond are dropped. */
export const formatDuration = (ms: number): string => {
  const whole = Math.trunc(ms)
  return durationText(BigInt(whole) * MILLISECOND + BigInt(Math.trunc((ms - whole) * 1e6)))
}
