/** Go durations (`1h30m`, `9m30s`) in milliseconds, this project's unit of time. */
import { durationText, MILLISECOND, parseDuration as parseNanoseconds } from '../go/duration.ts'

/** Milliseconds of a Go duration such as `1h30m`; undefined if invalid. `0` needs no unit, other numbers do. */
export const parseDuration = (duration: string): number | undefined => {
  try {
    const ns = parseNanoseconds(duration)
    // Converts whole milliseconds and the rest separately, here and below: the nanoseconds of a long duration exceed exact integers.
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
