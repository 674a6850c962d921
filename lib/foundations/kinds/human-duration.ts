/** An age as `kubectl get` shows it: `5m30s`, `3h`, `12d`; coarser for longer ones. */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** From milliseconds. Up to two seconds in the future is `0s`, as clocks differ; anything later is `<invalid>`. */
export const humanDuration = (ms: number): string => {
  if (ms <= -2 * second) return '<invalid>'
  if (ms < 0) return '0s'
  if (ms < 2 * minute) return count(ms, second, 's')
  if (ms < 10 * minute) return count(ms, minute, 'm') + rest(ms, minute, second, 's')
  if (ms < 3 * hour) return count(ms, minute, 'm')
  if (ms < 8 * hour) return count(ms, hour, 'h') + rest(ms, hour, minute, 'm')
  if (ms < 2 * day) return count(ms, hour, 'h')
  if (ms < 8 * day) return count(ms, day, 'd') + rest(ms, day, hour, 'h')
  if (ms < 2 * year) return count(ms, day, 'd')
  if (ms < 8 * year) return count(ms, year, 'y') + rest(ms, year, day, 'd')
  return count(ms, year, 'y')
}

const count = (ms: number, unit: number, name: string): string => `${Math.floor(ms / unit)}${name}`

const rest = (ms: number, unit: number, smaller: number, name: string): string =>
  ms % unit < smaller ? '' : count(ms % unit, smaller, name)

/** The age of an RFC 3339 time; `<unknown>` if absent. `now` in milliseconds since the epoch. */
export const ageOf = (time: string | null | undefined, now: number): string => {
  if (!time) return '<unknown>'
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? '<invalid>' : humanDuration(now - ms)
}
