import { quote } from '../../go/quote.ts'
import { durationText, parseDuration } from '../values/duration.ts'
import { parseTime } from '../values/parse-time.ts'
import { Time, timeOf, zeroTime } from '../values/time.ts'
import { type FunctionMap, integerOf, TemplateFunction, type Value } from '../values/value.ts'
import { atoi } from './convert.ts'
import { zoneAt } from './zone.ts'

/** Milliseconds since 1970. */
export type Now = () => number

const SECOND = 1_000_000_000n

const modify = (text: string, time: Time): Time => {
  const duration = parseDuration(text)
  if (duration === undefined) throw new Error(`time: ${problemOf(text)} duration ${quote(text)}`)
  return new Time(time.nanoseconds + duration, time.zone)
}

/** What is wrong with a duration, in Go's words: of one part after the other. */
const problemOf = (text: string): string => {
  for (const [, number = '', unit = ''] of text.replace(/^[+-]/, '').matchAll(/([0-9.]*)([^0-9.]*)/g)) {
    if (!/^(?:\d+\.?\d*|\.\d+)$/.test(number)) break
    if (unit === '') return 'missing unit in'
    if (parseDuration(`1${unit}`) === undefined) return `unknown unit ${quote(unit)} in`
  }
  return 'invalid'
}

/** A number of seconds, in digits or as an int64, as 1h2m3s. */
const duration = (seconds: Value): string => {
  const count = typeof seconds === 'string' ? atoi(seconds) : seconds
  return durationText(typeof count === 'bigint' ? BigInt.asIntN(64, count * SECOND) : 0n)
}

const LONG_UNITS: readonly (readonly [string, bigint])[] = [
  ['y', 365n * 86_400n],
  ['mo', 30n * 86_400n],
  ['d', 86_400n],
  ['h', 3600n],
  ['m', 60n],
  ['s', 1n],
]

/** Only the largest unit: 3mo. */
const roundedDuration = (nanoseconds: bigint): string => {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const unit = LONG_UNITS.find(([, seconds]) => size > seconds * SECOND)
  return unit ? `${size / (unit[1] * SECOND)}${unit[0]}` : '0s'
}

const toDate = (layout: string, text: string): Time => {
  try {
    return parseTime(layout, text)
  } catch {
    return zeroTime()
  }
}

/** sprig's date functions that depend on nothing but their arguments, and, given a clock, on the time between. */
export const dateFunctions = (now?: Now): FunctionMap => {
  const current = (): bigint => {
    if (!now) throw new Error('no clock was given')
    return BigInt(Math.trunc(now())) * 1_000_000n
  }
  const ago = (value: Value): string => {
    const then = value instanceof Time ? value.nanoseconds : (integerOf(value) ?? 0n) * SECOND
    const elapsed = value instanceof Time || integerOf(value) !== undefined ? current() - then : 0n
    return durationText(((elapsed + SECOND / 2n) / SECOND) * SECOND)
  }
  const durationRound = (value: Value): string => {
    if (value instanceof Time) return roundedDuration(current() - value.nanoseconds)
    return roundedDuration(
      typeof value === 'string' ? (parseDuration(value) ?? 0n) : typeof value === 'bigint' ? value : 0n,
    )
  }
  const mustModify = new TemplateFunction(['string', 'time.Time'], modify)
  return new Map([
    ['ago', new TemplateFunction(['interface {}'], ago)],
    ['duration', new TemplateFunction(['interface {}'], duration)],
    ['durationRound', new TemplateFunction(['interface {}'], durationRound)],
    ['toDate', new TemplateFunction(['string', 'string'], toDate)],
    ['mustToDate', new TemplateFunction(['string', 'string'], parseTime)],
    ['unixEpoch', new TemplateFunction(['time.Time'], (time: Time) => String(time.seconds))],
    ['must_date_modify', mustModify],
    ['mustDateModify', mustModify],
  ])
}

/** Those that read the clock or the zone of the machine: not for templates that must repeat themselves. */
export const clockFunctions = (now: Now): FunctionMap => {
  const current = (): Time => new Time(BigInt(Math.trunc(now())) * 1_000_000n)
  const timeFrom = (value: Value): Time => {
    if (value instanceof Time) return value
    const seconds = integerOf(value)
    return seconds === undefined ? current() : timeOf(seconds)
  }
  const inZone = (layout: string, value: Value, zone: string): string => {
    const time = timeFrom(value)
    return new Time(time.nanoseconds, zoneAt(zone, Number(time.seconds) * 1000)).format(layout)
  }
  const modified = (text: string, time: Time): Time => {
    try {
      return modify(text, time)
    } catch {
      return time
    }
  }
  const dateInZone = new TemplateFunction(['string', 'interface {}', 'string'], inZone)
  const dateModify = new TemplateFunction(['string', 'time.Time'], modified)
  return new Map([
    ['now', new TemplateFunction([], current)],
    ['date', new TemplateFunction(['string', 'interface {}'], (layout, value) => inZone(layout, value, 'UTC'))],
    ['dateInZone', dateInZone],
    ['date_in_zone', dateInZone],
    ['htmlDate', new TemplateFunction(['interface {}'], (value: Value) => inZone('2006-01-02', value, 'UTC'))],
    [
      'htmlDateInZone',
      new TemplateFunction(['interface {}', 'string'], (value: Value, zone: string) =>
        inZone('2006-01-02', value, zone),
      ),
    ],
    ['dateModify', dateModify],
    ['date_modify', dateModify],
  ])
}
