/** Go's durations (`1h30m`, `9m30s`) in milliseconds, which is how this project counts time. */
import { durationText, parseDuration as parseNanoseconds } from '../go/duration.ts'

// Whole milliseconds are counted apart from the rest: the nanoseconds of a long duration would not fit a number exactly.
const NS_PER_MS = 1_000_000n

/** Milliseconds of a Go duration such as `1h30m`; undefined when it is none. A bare `0` is one, a bare `5` is not. */
export const parseDuration = (duration: string): number | undefined => {
  try {
    const ns = parseNanoseconds(duration)
    return Number(ns / NS_PER_MS) + Number(ns % NS_PER_MS) / 1e6
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
  return durationText(BigInt(whole) * NS_PER_MS + BigInt(Math.trunc((ms - whole) * 1e6)))
}
