/** Moments and durations, in nanoseconds. */
import { evaluationError } from '../cel-error.ts'
import { Duration, int, Timestamp } from '../values.ts'
import type { Functions } from './function.ts'

const units: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ns: 1n,
}

/** A Go duration, such as `-1h30.5m`. */
export const parseDuration = (text: string): Duration => {
  const invalid = () => evaluationError(`invalid duration "${text}"`)
  const [, sign = '', body = ''] = /^([+-]?)(.+)$/s.exec(text) ?? []
  if (body === '0') return new Duration(0n)
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|us|µs|μs|ns|s))+$/.test(body)) throw invalid()
  let ns = 0n
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)\.?(\d*)(h|ms|m|us|µs|μs|ns|s)/g)) {
    const size = units[unit]!
    ns += BigInt(whole || '0') * size
    const digits = fraction.slice(0, 18)
    if (digits) ns += (BigInt(digits) * size) / 10n ** BigInt(digits.length)
  }
  return new Duration(int(sign === '-' ? -ns : ns))
}

export const durationText = ({ ns }: Duration): string => `${Number(ns) / 1e9}s`

/** RFC 3339, with up to nine digits of a second. */
export const parseTimestamp = (text: string): Timestamp => {
  const [, seconds, fraction = '', zone] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/.exec(text) ?? []
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`)
  if (Number.isNaN(ms)) throw evaluationError(`invalid timestamp "${text}"`)
  return new Timestamp(BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')))
}

export const timestampText = ({ ns }: Timestamp): string => {
  const fraction = ((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const seconds = new Date(Number((ns - fraction) / 1_000_000n)).toISOString().slice(0, 19)
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  return `${seconds}${digits}Z`
}

/** The parts of a date, as Date has them, of a moment in a time zone: `Europe/Paris`, or `+01:00`. */
const partsOf = (moment: Timestamp, zone = 'UTC'): Date => {
  const ms = Number(moment.ns / 1_000_000n)
  const [, sign, hours, minutes] = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone) ?? []
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
    return new Date(sign === '-' ? ms - offset : ms + offset)
  }
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(ms)
    const part = (type: string) => Number(parts.find(each => each.type === type)?.value)
    const utc = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return new Date(utc + (((ms % 1000) + 1000) % 1000))
  } catch {
    throw evaluationError(`unknown time zone ${zone}`)
  }
}

const dayOfYear = (date: Date): number => (date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: date => date.getUTCFullYear(),
  getMonth: date => date.getUTCMonth(),
  getDate: date => date.getUTCDate(),
  getDayOfMonth: date => date.getUTCDate() - 1,
  getDayOfWeek: date => date.getUTCDay(),
  getDayOfYear: date => Math.floor(dayOfYear(date)),
  getHours: date => date.getUTCHours(),
  getMinutes: date => date.getUTCMinutes(),
  getSeconds: date => date.getUTCSeconds(),
  getMilliseconds: date => date.getUTCMilliseconds(),
}

const timestamp = 'google.protobuf.Timestamp'
const duration = 'google.protobuf.Duration'

export const timeFunctions: Functions = {
  ...Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => [
      [`${timestamp}.${name}(): int`, (moment: Timestamp) => BigInt(part(partsOf(moment)))],
      [`${timestamp}.${name}(string): int`, (moment: Timestamp, zone: string) => BigInt(part(partsOf(moment, zone)))],
    ]),
  ),
  [`${duration}.getHours(): int`]: ({ ns }: Duration) => ns / units.h!,
  [`${duration}.getMinutes(): int`]: ({ ns }: Duration) => ns / units.m!,
  [`${duration}.getSeconds(): int`]: ({ ns }: Duration) => ns / units.s!,
  [`${duration}.getMilliseconds(): int`]: ({ ns }: Duration) => (ns / units.ms!) % 1000n,
}
