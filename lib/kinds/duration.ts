/**
 * Durations as Go writes them (`1h30m`, `9m30s`), in milliseconds on our side. Parsing follows Go's
 * `time.ParseDuration`, formatting its `Duration.String`.
 */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

const wholeDuration = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
const segment = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g

/** Milliseconds of a Go duration such as `1h30m`; undefined when it is none. A bare `0` is one, a bare `5` is not. */
export const parseDuration = (duration: string): number | undefined => {
  if (/^[+-]?0$/.test(duration)) return 0
  const [, sign, segments] = wholeDuration.exec(duration) ?? []
  if (segments === undefined) return undefined
  let ms = 0
  for (const [, amount, unit] of segments.matchAll(segment)) ms += Number(amount) * unitMs[unit!]!
  return sign === '-' ? -ms : ms
}

/** Milliseconds of a duration that a schema has already validated. Throws on anything else: that is a bug. */
export const durationMs = (duration: string): number => {
  const ms = parseDuration(duration)
  if (ms === undefined) throw new Error(`not a duration: ${JSON.stringify(duration)}`)
  return ms
}

/** As Go prints it: `9m30s`, `1m0s`, `1h0m0s`, `1.5s`, `250ms`, `0s`. Fractions below a nanosecond are dropped. */
export const formatDuration = (ms: number): string => {
  if (ms < 0) return `-${formatDuration(-ms)}`
  // Whole seconds apart from the rest: nanoseconds of a long duration would not fit a number exactly.
  const total = Math.floor(ms / 1e3)
  const ns = Math.floor((ms - total * 1e3) * 1e6)
  if (total === 0) return formatFraction(ns)
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor(total / 60) % 60
  const fraction = String(ns).padStart(9, '0').replace(/0+$/, '')
  const seconds = `${total % 60}${fraction && `.${fraction}`}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}

/** Less than a second, in the largest unit that leaves a whole part. */
const formatFraction = (ns: number): string => {
  if (ns === 0) return '0s'
  if (ns < 1e3) return `${ns}ns`
  return ns < 1e6 ? `${ns / 1e3}µs` : `${ns / 1e6}ms`
}
