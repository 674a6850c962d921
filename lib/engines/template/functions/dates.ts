import { durationText, MILLISECOND, nearestDuration, parseDuration, SECOND } from '../../../foundations/go/duration.ts'
import { parseTime } from '../values/parse-time.ts'
import { Time, timeOf, zeroTime } from '../values/time.ts'
import { type FunctionMap, Int, TemplateFunction, type Value } from '../values/value.ts'
import { atoi } from './convert.ts'
import { orElse } from './or-else.ts'
import { roundedQuotient } from './rounded-quotient.ts'
import { zoneAt } from './zone.ts'

/** Milliseconds since 1970. */
export type Now = () => number

const modify = (text: string, time: Time): Time => new Time(time.nanoseconds + parseDuration(text), time.zone)

/** Formats a number of seconds, as digits or an int64, like 1h2m3s. */
const duration = (seconds: Value): string => {
  const count = typeof seconds === 'string' ? atoi(seconds) : typeof seconds === 'bigint' ? seconds : 0n
  return durationText(BigInt.asIntN(64, count * SECOND))
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

/** Converts to a time: a value that is neither a time nor seconds since 1970 as int64 or int means now. */
const toTime = (value: Value, now: Time): Time => {
  if (value instanceof Time) return value
  if (typeof value === 'bigint') return timeOf(value)
  return value instanceof Int && value.kind === 'int' ? timeOf(value.value) : now
}

const timeNow = (now: Now): Time => new Time(BigInt(Math.trunc(now())) * MILLISECOND)

/** sprig's date functions that depend only on their arguments, and, if given a clock, on the current time. */
export const dateFunctions = (
  now: Now = () => {
    throw new Error('no clock was given')
  },
): FunctionMap => {
  const since = (value: Value): bigint => {
    const current = timeNow(now)
    return nearestDuration(current.nanoseconds - toTime(value, current).nanoseconds)
  }
  const ago = (value: Value): string => durationText(nearestDuration(roundedQuotient(since(value), SECOND) * SECOND))
  const durationRound = (value: Value): string => {
    if (value instanceof Time) return roundedDuration(since(value))
    return roundedDuration(
      typeof value === 'string' ? orElse(() => parseDuration(value), 0n) : typeof value === 'bigint' ? value : 0n,
    )
  }
  const mustModify = new TemplateFunction(['string', 'time.Time'], modify)
  return new Map([
    ['ago', new TemplateFunction(['interface {}'], ago)],
    ['duration', new TemplateFunction(['interface {}'], duration)],
    ['durationRound', new TemplateFunction(['interface {}'], durationRound)],
    [
      'toDate',
      new TemplateFunction(['string', 'string'], (layout: string, text: string) =>
        orElse(() => parseTime(layout, text), zeroTime()),
      ),
    ],
    ['mustToDate', new TemplateFunction(['string', 'string'], parseTime)],
    ['unixEpoch', new TemplateFunction(['time.Time'], (time: Time) => String(time.seconds))],
    ['must_date_modify', mustModify],
    ['mustDateModify', mustModify],
  ])
}

/** Functions that read the machine's clock or time zone: not for templates that must be reproducible. */
export const clockFunctions = (now: Now): FunctionMap => {
  /** In the process's time zone, which is UTC. */
  const local = (value: Value): Time => new Time(toTime(value, timeNow(now)).nanoseconds)
  const inZone = (layout: string, value: Value, zone: string): string => {
    const time = local(value)
    return new Time(time.nanoseconds, zoneAt(zone, time.clock)).format(layout)
  }
  const modified = (text: string, time: Time): Time => orElse(() => modify(text, time), time)
  const dateInZone = new TemplateFunction(['string', 'interface {}', 'string'], inZone)
  const dateModify = new TemplateFunction(['string', 'time.Time'], modified)
  return new Map([
    ['now', new TemplateFunction([], () => timeNow(now))],
    ['date', new TemplateFunction(['string', 'interface {}'], (layout, value) => local(value).format(layout))],
    ['dateInZone', dateInZone],
    ['date_in_zone', dateInZone],
    ['htmlDate', new TemplateFunction(['interface {}'], (value: Value) => local(value).format('2006-01-02'))],
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
