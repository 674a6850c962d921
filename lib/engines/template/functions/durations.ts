import { durationText, parseDuration, SECOND } from '../../../foundations/go/duration.ts'
import { formatFloat } from '../../../foundations/go/format-float.ts'
import { parseFloat64 } from '../../../foundations/go/parse-float.ts'
import { quote } from '../../../foundations/go/quote.ts'
import {
  type FunctionMap,
  integerOf,
  isNothing,
  Struct,
  TemplateFunction,
  typeNameOf,
  UNDERLYING,
  type Value,
} from '../values/value.ts'

const MAX_DURATION = 2n ** 63n
const TYPE = 'time.Duration'

const durationValue = (nanoseconds: bigint): Struct =>
  new Struct(TYPE, new Map([[UNDERLYING, nanoseconds]]), undefined, () => durationText(nanoseconds))

/** Nanoseconds of a duration, of a text like 1h30m, or of a number of seconds as number or text. Throws Helm's message. */
const nanosecondsOf = (value: Value): bigint => {
  if (isNothing(value)) throw new Error('invalid duration')
  if (value instanceof Struct && value.typeName === TYPE) return value.underlying as bigint
  if (typeof value === 'string') return nanosecondsOfText(value)
  if (typeof value === 'number') return nanosecondsOfFloat(value)
  const seconds = integerOf(value)
  if (seconds === undefined) throw new Error(`unsupported duration type ${typeNameOf(value)}`)
  if (seconds > MAX_DURATION / SECOND || seconds < -MAX_DURATION / SECOND)
    throw new Error(`duration seconds overflow: ${seconds}`)
  return seconds * SECOND
}

const nanosecondsOfText = (text: string): bigint => {
  const trimmed = text.trim()
  if (trimmed === '') throw new Error('empty duration')
  try {
    return parseDuration(trimmed)
  } catch {
    const seconds = parseFloat64(trimmed)
    if (seconds === undefined) throw new Error(`could not parse duration ${quote(text)}`)
    return nanosecondsOfFloat(seconds)
  }
}

const nanosecondsOfFloat = (seconds: number): bigint => {
  const shown = formatFloat(seconds, 'g', -1)
  if (!Number.isFinite(seconds)) throw new Error(`invalid duration seconds: ${shown}`)
  if (Math.abs(seconds) > Number(MAX_DURATION) / Number(SECOND)) throw new Error(`duration seconds overflow: ${shown}`)
  return BigInt(Math.trunc(seconds * Number(SECOND)))
}

/** 0 for an invalid duration. */
const measured = (measure: (nanoseconds: bigint) => Value, none: Value) =>
  new TemplateFunction(['interface {}'], (value: Value) => {
    try {
      return measure(nanosecondsOf(value))
    } catch {
      return none
    }
  })

const whole = (unit: bigint) => measured(nanoseconds => nanoseconds / unit, 0n)

/** Divides as Go does: whole units and the remainder separately, so that no digit is lost. */
const inUnits = (nanoseconds: bigint, unit: bigint): number =>
  Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit)
const fraction = (unit: bigint) => measured(nanoseconds => inUnits(nanoseconds, unit), 0)

const truncated = (nanoseconds: bigint, unit: bigint): bigint =>
  unit <= 0n ? nanoseconds : nanoseconds - (nanoseconds % unit)

/** To the nearest multiple, halves away from zero. */
const rounded = (nanoseconds: bigint, unit: bigint): bigint => {
  if (unit <= 0n) return nanoseconds
  const rest = nanoseconds % unit
  const size = rest < 0n ? -rest : rest
  if (size * 2n < unit) return nanoseconds - rest
  const up = nanoseconds < 0n ? nanoseconds - (unit - size) : nanoseconds + (unit - size)
  return up >= MAX_DURATION ? MAX_DURATION - 1n : up < -MAX_DURATION ? -MAX_DURATION : up
}

const toMultiple = (change: (nanoseconds: bigint, unit: bigint) => bigint) =>
  new TemplateFunction(['interface {}', 'interface {}'], (value: Value, multiple: Value) => {
    let nanoseconds = 0n
    try {
      nanoseconds = nanosecondsOf(value)
      return durationValue(change(nanoseconds, nanosecondsOf(multiple)))
    } catch {
      return durationValue(nanoseconds)
    }
  })

/** Helm's duration functions, besides sprig's `duration` and `durationRound`. */
export const durationFunctions: FunctionMap = new Map([
  ['mustToDuration', new TemplateFunction(['interface {}'], (value: Value) => durationValue(nanosecondsOf(value)))],
  ['durationNanoseconds', whole(1n)],
  ['durationMicroseconds', whole(1000n)],
  ['durationMilliseconds', whole(1_000_000n)],
  ['durationSeconds', fraction(SECOND)],
  ['durationMinutes', fraction(60n * SECOND)],
  ['durationHours', fraction(3600n * SECOND)],
  ['durationDays', measured(nanoseconds => inUnits(nanoseconds, 3600n * SECOND) / 24, 0)],
  ['durationWeeks', measured(nanoseconds => inUnits(nanoseconds, 3600n * SECOND) / 24 / 7, 0)],
  ['durationRoundTo', toMultiple(rounded)],
  ['durationTruncateTo', toMultiple(truncated)],
])
