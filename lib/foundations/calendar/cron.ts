/** Cron expressions with five fields, in the syntax and with the messages of robfig/cron (which flux-operator uses). */
import { type TimeZone, timeZone } from './zoned-time.ts'

/** The times that an expression matches. */
export interface Cron {
  /** The first match after a time (both in ms since the epoch); undefined if there is none within five years. */
  next(after: number): number | undefined
}

/** Fails with the error in the expression, or if the time zone is unknown. */
export const parseCron = (expression: string, zoneName: string): Cron => {
  const zone = timeZone(zoneName)
  if (!zone) throw new Error(`provided bad location ${zoneName}: unknown time zone ${zoneName}`)
  const spec = expression.trim()
  const text = spec.startsWith('@') ? descriptors.get(spec) : spec
  if (text === undefined) throw new Error(`unrecognized descriptor: ${spec}`)
  const parts = text.split(/\s+/).filter(part => part !== '')
  if (parts.length !== fields.length)
    throw new Error(`expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`)
  const [minute, hour, day, month, weekday] = fields.map((field, index) => parseField(parts[index]!, field))
  return { next: after => nextMoment({ minute, hour, day, month, weekday } as Schedule, zone, after) }
}

const descriptors = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

interface Field {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekdays },
]

interface Matches {
  readonly values: ReadonlySet<number>
  /** A wildcard: then only the other one of day and weekday counts. */
  readonly isAny: boolean
}

const parseField = (text: string, field: Field): Matches => {
  const ranges = text
    .split(',')
    .filter(part => part !== '')
    .map(part => parseRange(part, field))
  return { values: new Set(ranges.flatMap(({ values }) => values)), isAny: ranges.some(({ isAny }) => isAny) }
}

const parseRange = (text: string, field: Field): { readonly values: readonly number[]; readonly isAny: boolean } => {
  const [range = '', stepText, ...moreSteps] = text.split('/')
  const [low = '', high, ...moreBounds] = range.split('-')
  if (moreSteps.length > 0) throw new Error(`too many slashes: ${text}`)
  const isAny = low === '*' || low === '?'
  if (!isAny && moreBounds.length > 0) throw new Error(`too many hyphens: ${text}`)
  const step = stepText === undefined ? 1 : parseNumber(stepText)
  const start = isAny ? field.min : parseValue(low, field)
  const end = isAny
    ? field.max
    : high !== undefined
      ? parseValue(high, field)
      : stepText === undefined
        ? start
        : field.max
  if (start < field.min) throw new Error(`beginning of range (${start}) below minimum (${field.min}): ${text}`)
  if (end > field.max) throw new Error(`end of range (${end}) above maximum (${field.max}): ${text}`)
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`)
  const values: number[] = []
  for (let value = start; value <= end; value += step) values.push(value)
  return { values, isAny: isAny && step === 1 }
}

const parseValue = (text: string, { min, names }: Field): number => {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  return named >= 0 ? named + min : parseNumber(text)
}

const parseNumber = (text: string): number => {
  if (!/^[+-]?\d{1,9}$/.test(text))
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  const value = Number(text)
  if (value < 0) throw new Error(`negative number (${value}) not allowed: ${text}`)
  return value
}

type Schedule = Readonly<Record<'minute' | 'hour' | 'day' | 'month' | 'weekday', Matches>>

/** As robfig/cron: nothing after the end of the fifth year from now. */
const maxSearchYears = 5

/**
 * Day by day: a time that is skipped when clocks go forward does not occur on that day; one that is repeated when they go back occurs twice.
 */
const nextMoment = (schedule: Schedule, zone: TimeZone, after: number): number | undefined => {
  const { year, month, day, hour: nowHour } = zone.wallTimeOf(after)
  const end = Date.UTC(year + maxSearchYears + 1, 0, 1)
  const hours = [...schedule.hour.values].sort(ascending)
  const minutes = [...schedule.minute.values].sort(ascending)
  for (let days = 0; ; days++) {
    const date = new Date(Date.UTC(year, month - 1, day + days))
    if (date.getTime() >= end) return undefined
    if (!isOn(schedule, date)) continue
    const on = zone.dayOf({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() })
    let first = Number.POSITIVE_INFINITY
    const isPast = (hour: number): boolean => days === 0 && on.isRegular && hour < nowHour
    for (const hour of hours.filter(hour => !isPast(hour)))
      for (const minute of minutes)
        for (const moment of on.momentsAt(hour, minute)) {
          if (moment <= after || moment >= first) continue
          if (on.isRegular) return moment
          first = moment
        }
    if (first < Number.POSITIVE_INFINITY) return first
  }
}

const ascending = (a: number, b: number): number => a - b

/** Day of month and day of week: both must match if one is a wildcard, otherwise either. */
const isOn = ({ day, month, weekday }: Schedule, date: Date): boolean => {
  if (!month.values.has(date.getUTCMonth() + 1)) return false
  const isDay = day.values.has(date.getUTCDate())
  const isWeekday = weekday.values.has(date.getUTCDay())
  return day.isAny || weekday.isAny ? isDay && isWeekday : isDay || isWeekday
}
