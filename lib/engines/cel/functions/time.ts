/** Timestamps and durations, in nanoseconds. */

import {
  HOUR,
  MILLISECOND,
  MINUTE,
  parseDuration as parseNanoseconds,
  SECOND,
} from '../../../foundations/go/duration.ts'
import { formatFloat } from '../../../foundations/go/format-float.ts'
import { evaluationError } from '../cel-error.ts'
import type { Spend } from '../spend.ts'
import { Duration, type Timestamp, timestamp } from '../values.ts'
import type { Functions } from './function.ts'

const timestampType = 'google.protobuf.Timestamp'
const duration = 'google.protobuf.Duration'

/** A Go duration, such as `-1h30.5m`. */
export const parseDuration = (text: string): Duration => {
  try {
    return new Duration(parseNanoseconds(text))
  } catch {
    throw evaluationError(`type conversion error from 'string' to '${duration}'`)
  }
}

/** In seconds, rounded as Go does. */
export const durationText = ({ ns }: Duration): string => {
  const seconds = Number(ns / SECOND) + Number(ns % SECOND) / 1e9
  return `${formatFloat(seconds, 'f', -1)}s`
}

/** RFC 3339 with up to nine fractional digits, and what Go accepts besides: a one-digit hour, and a comma. */
export const parseTimestamp = (text: string): Timestamp => {
  const wrong = () => evaluationError(`type conversion error from 'string' to '${timestampType}'`)
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{1,2})(:\d{2}:\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/.exec(text)
  if (!parts) throw wrong()
  const [, date, hour, rest, fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = parts
  const written = `${date}T${hour!.padStart(2, '0')}${rest}`
  const utc = new Date(`${written}Z`)
  const isOffset = Number(offsetHours) <= 24 && Number(offsetMinutes) <= 60
  // Date rolls over invalid dates such as 30 February.
  if (Number.isNaN(utc.getTime()) || !utc.toISOString().startsWith(written) || !isOffset) throw wrong()
  const ahead = Number(offsetHours) * 60 + Number(offsetMinutes)
  const minutes = sign === '-' ? -ahead : ahead
  const ms = BigInt(utc.getTime() - minutes * 60_000)
  return timestamp(ms * MILLISECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0')), minutes)
}

/** RFC 3339 with up to nine digits of fractions, as Go writes it. `offset` is in minutes east of UTC. */
export const timestampText = (moment: Timestamp, offset = moment.offset): string => {
  const seconds = new Date((Number(moment.seconds) + offset * 60) * 1000).toISOString().slice(0, 19)
  const digits = moment.fraction === 0n ? '' : `.${String(moment.fraction).padStart(9, '0').replace(/0+$/, '')}`
  return `${seconds}${digits}${offset === 0 ? 'Z' : offsetText(offset)}`
}

const offsetText = (offset: number): string => {
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
  return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

/** A Date whose UTC parts are those of the moment in a time zone: `Europe/Paris` or `+01:00`. */
const partsOf = (moment: Timestamp, zone = ''): Date => {
  const ms = Number(moment.seconds * 1000n + moment.fraction / MILLISECOND)
  return new Date(ms + offsetOf(zone, ms))
}

/** How far a time zone is ahead of UTC, in milliseconds. */
const offsetOf = (zone: string, ms: number): number => {
  if (zone === '' || zone === 'Local') return 0
  if (zone.includes(':')) return writtenOffset(zone)
  const unknown = () => evaluationError(`unknown time zone ${zone}`, 'unknown time zone')
  // Intl also reads offsets, and ignores case.
  if (/^[+-]/.test(zone)) throw unknown()
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const known = format.resolvedOptions().timeZone
    if (known !== zone && known.toLowerCase() === zone.toLowerCase()) throw unknown()
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')!.value
    // Such as `GMT-03:30` or `GMT`.
    const [, ...parts] = name.split(/\D+/)
    const ahead = parts.reduce((sum, part, at) => sum + (Number(part) * 3_600_000) / 60 ** at, 0)
    return name.includes('-') ? -ahead : ahead
  } catch {
    throw unknown()
  }
}

const writtenOffset = (zone: string): number => {
  const colon = zone.indexOf(':')
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map(text => {
    if (!/^[+-]?\d+$/.test(text))
      throw evaluationError(`strconv.Atoi: parsing "${text}": invalid syntax`, 'strconv.Atoi: invalid syntax')
    return Number(text)
  }) as [number, number]
  return (hours * 60 + (zone.startsWith('-') ? -minutes : minutes)) * 60_000
}

const dayOfYear = (date: Date): number => {
  const first = new Date(date)
  first.setUTCMonth(0, 1)
  return Math.round((date.getTime() - first.getTime()) / 86_400_000)
}

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: date => date.getUTCFullYear(),
  getMonth: date => date.getUTCMonth(),
  getDate: date => date.getUTCDate(),
  getDayOfMonth: date => date.getUTCDate() - 1,
  getDayOfWeek: date => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: date => date.getUTCHours(),
  getMinutes: date => date.getUTCMinutes(),
  getSeconds: date => date.getUTCSeconds(),
  getMilliseconds: date => date.getUTCMilliseconds(),
}

/** Budget steps of a time zone lookup. */
const zoneSteps = 1_000

export const timeFunctions: Functions = {
  ...Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => [
      [`${timestampType}.${name}(): int`, (moment: Timestamp) => BigInt(part(partsOf(moment)))],
      [
        `${timestampType}.${name}(string): int`,
        (moment: Timestamp, zone: string, spend: Spend) => {
          spend(zoneSteps)
          return BigInt(part(partsOf(moment, zone)))
        },
      ],
    ]),
  ),
  [`${duration}.getHours(): int`]: ({ ns }: Duration) => ns / HOUR,
  [`${duration}.getMinutes(): int`]: ({ ns }: Duration) => ns / MINUTE,
  [`${duration}.getSeconds(): int`]: ({ ns }: Duration) => ns / SECOND,
  [`${duration}.getMilliseconds(): int`]: ({ ns }: Duration) => ns / MILLISECOND,
}
