import { SECOND } from '../../../foundations/go/duration.ts'
import { quoteBytes } from '../../../foundations/go/quote-bytes.ts'
import { Time } from './time.ts'
import { MONTHS, splitLayout, startOfDay, WEEKDAYS } from './time-format.ts'
import { LOCAL, UTC, type Zone } from './zone.ts'

/** The fields that were read; undefined if not in the layout. */
interface Fields {
  year: number
  month: number | undefined
  day: number | undefined
  yearDay: number | undefined
  hour: number
  minute: number
  second: number
  fraction: number
  half: string | undefined
  isUtc: boolean
  /** Seconds east of UTC. */
  offset: number | undefined
  zoneName: string
}

/** A field is out of range. */
class InvalidTime extends Error {}

/**
 * time.Parse: parses a text by a layout. Throws with its message. The local zone is UTC: other zone abbreviations have no offset, except
 * those like GMT+3.
 */
export const parseTime = (layout: string, value: string): Time => {
  const fields: Fields = {
    ...{ year: 0, month: undefined, day: undefined, yearDay: undefined, hour: 0, minute: 0, second: 0, fraction: 0 },
    ...{ half: undefined, isUtc: false, offset: undefined, zoneName: '' },
  }
  const fail = (problem: string): never => {
    throw new Error(`parsing time ${quoteBytes(value)}${problem}`)
  }
  const mismatch = (rest: string, wanted: string): never =>
    fail(` as ${quoteBytes(layout)}: cannot parse ${quoteBytes(rest)} as ${quoteBytes(wanted)}`)
  const parts = splitLayout(layout)
  let rest = value
  try {
    for (const [i, { before, piece }] of parts.entries()) {
      rest = skipText(rest, before, where => mismatch(where, before))
      const next = parts[i + 1]
      if (!next) break
      const length = readPiece(piece, rest, fields, next.piece) ?? mismatch(rest, piece)
      rest = rest.slice(length)
    }
    if (rest !== '') fail(`: extra text: ${quoteBytes(rest)}`)
    return timeOfFields(fields)
  } catch (error) {
    throw error instanceof InvalidTime ? fail(`: ${error.message}`) : error
  }
}

/** Skips the literal text of a layout; any number of spaces matches any other, if there is one or the value has ended. */
const skipText = (value: string, text: string, fail: (rest: string) => never): string => {
  let rest = value
  for (const part of text.match(/ +|[^ ]/gu) ?? []) {
    if (part[0] === ' ' ? rest !== '' && rest[0] !== ' ' : !rest.startsWith(part)) fail(rest)
    rest = part[0] === ' ' ? rest.replace(/ +/, '') : rest.slice(part.length)
  }
  return rest
}

const within = (what: string, text: string, least: number, most: number): number => {
  const number = Number(text)
  if (number < least || number > most) throw new InvalidTime(`${what} out of range`)
  return number
}
const oneOf = (names: readonly string[]): RegExp => new RegExp(`^(?:${names.join('|')})`, 'i')
const placeIn = (names: readonly string[], text: string): number =>
  names.findIndex(name => name.toLowerCase() === text.toLowerCase())
const short = (name: string): string => name.slice(0, 3)
const SHORT_MONTHS = MONTHS.map(short)

type Reader = readonly [pattern: RegExp, store: (fields: Fields, text: string) => void]

const ONE = /^\d\d?/
const TWO = /^\d\d/
const setMonth = (fields: Fields, text: string) => (fields.month = within('month', text, 1, 12))
const setDay = (fields: Fields, text: string) => (fields.day = Number(text))
const setYearDay = (fields: Fields, text: string) => (fields.yearDay = Number(text))
const setHalfHour = (fields: Fields, text: string) => (fields.hour = within('hour', text, 0, 12))
const setMinute = (fields: Fields, text: string) => (fields.minute = within('minute', text, 0, 59))
const setHalf = (fields: Fields, text: string) => (fields.half = text.toUpperCase())

/** How to read each element of a layout, except seconds and zones. */
const READERS: Readonly<Record<string, Reader>> = {
  '2006': [/^\d{4}/, (fields, text) => (fields.year = Number(text))],
  '06': [/^[\d+-]\d/, (fields, text) => (fields.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000))],
  January: [oneOf(MONTHS), (fields, text) => (fields.month = placeIn(MONTHS, text) + 1)],
  Jan: [oneOf(SHORT_MONTHS), (fields, text) => (fields.month = placeIn(SHORT_MONTHS, text) + 1)],
  '01': [TWO, setMonth],
  '1': [ONE, setMonth],
  Monday: [oneOf(WEEKDAYS), () => undefined],
  Mon: [oneOf(WEEKDAYS.map(short)), () => undefined],
  '02': [TWO, setDay],
  '2': [ONE, setDay],
  _2: [/^ ?\d\d?/, setDay],
  '002': [/^\d{3}/, setYearDay],
  __2: [/^ {0,2}\d{1,3}/, setYearDay],
  '15': [ONE, (fields, text) => (fields.hour = within('hour', text, 0, 23))],
  '03': [TWO, setHalfHour],
  '3': [ONE, setHalfHour],
  '04': [TWO, setMinute],
  '4': [ONE, setMinute],
  PM: [/^[AP]M/, setHalf],
  pm: [/^[ap]m/, setHalf],
}

/** The number of characters read; undefined if they don't match. */
const readPiece = (piece: string, rest: string, fields: Fields, next: string): number | undefined => {
  if (piece === '05' || piece === '5') return readSeconds(piece, rest, fields, next)
  if (isFraction(piece)) return readFraction(piece, rest, fields)
  if (piece === 'MST') return readZoneName(rest, fields)
  const reader = READERS[piece]
  if (!reader) return readOffset(piece, rest, fields)
  const text = reader[0].exec(rest)?.[0]
  if (text !== undefined) reader[1](fields, text)
  return text?.length
}

const isFraction = (piece: string): boolean => /[.,]/.test(piece)

/** Seconds also read a fraction that is not in the layout. */
const readSeconds = (piece: string, rest: string, fields: Fields, next: string): number | undefined => {
  const text = (piece === '05' ? TWO : ONE).exec(rest)?.[0]
  if (text === undefined) return undefined
  fields.second = within('second', text, 0, 59)
  return text.length + (isFraction(next) ? 0 : readFraction('.9', rest.slice(text.length), fields))
}

/** `.000` reads exactly that many digits, `.999` any that are present. */
function readFraction(piece: '.9', rest: string, fields: Fields): number
function readFraction(piece: string, rest: string, fields: Fields): number | undefined
function readFraction(piece: string, rest: string, fields: Fields): number | undefined {
  const isOptional = piece[1] === '9'
  const text = new RegExp(`^[.,]\\d{${isOptional ? '1,' : piece.length - 1}}`).exec(rest)?.[0]
  if (text === undefined) return isOptional ? 0 : undefined
  fields.fraction = Number(text.slice(1, 10).padEnd(9, '0'))
  return text.length
}

const readOffset = (piece: string, rest: string, fields: Fields): number | undefined => {
  if (piece[0] === 'Z' && rest[0] === 'Z') {
    fields.isUtc = true
    return 1
  }
  const match = new RegExp(`^(.)${piece.slice(1).replace(/\d\d/g, '(..)')}`, 's').exec(rest)
  if (!match) return undefined
  const [text, sign, ...parts] = match
  const bad = parts.findIndex(part => !/\d\d/.test(part))
  const read = bad < 0 ? parts : parts.slice(0, bad)
  const limits = [['hour', 24] as const, ['minute', 60] as const, ['second', 60] as const]
  const [hours = 0, minutes = 0, seconds = 0] = read.map((part, i) =>
    within(`time zone offset ${limits[i]![0]}`, part, 0, limits[i]![1]),
  )
  if (bad >= 0 || !/[+-]/.test(sign!)) return undefined
  const size = hours * 3600 + minutes * 60 + seconds
  fields.offset = sign === '-' ? -size : size
  return text.length
}

/** A numeric zone name: +03. */
const HOURS = /^[+-](?:0*(?:1?\d|2[0-3]))(?!\d)/
const GMT = /^GMT(?:[+-]0*(?:1?\d|2[0-3])(?!\d))?/
/** Three letters, or four or five ending in T, and a few exceptions. */
const ABBREVIATION = /^(?:ChST|MeST|(?:[A-Z]{4}T|[A-Z]{3}T|WITA|[A-Z]{3})(?![A-Z]))/

const readZoneName = (rest: string, fields: Fields): number | undefined => {
  if (rest.startsWith('UTC')) {
    fields.isUtc = true
    return 3
  }
  if (rest.length < 3) return undefined
  const name = (GMT.exec(rest) ?? HOURS.exec(rest) ?? ABBREVIATION.exec(rest))?.[0]
  if (name === undefined) return undefined
  fields.zoneName = name
  return name.length
}

const timeOfFields = (fields: Fields): Time => {
  const { minute, second, fraction, half } = fields
  const hour =
    half === 'PM' && fields.hour < 12 ? fields.hour + 12 : half === 'AM' && fields.hour === 12 ? 0 : fields.hour
  const written = dayOf(fields) / 1000 + hour * 3600 + minute * 60 + second
  const east = fields.isUtc ? 0 : (fields.offset ?? 0)
  return new Time(BigInt(written - east) * SECOND + BigInt(fraction), zoneOf(fields))
}

/** Midnight of the day, in milliseconds since 1970. */
const dayOf = ({ year, month, day, yearDay }: Fields): number => {
  const start = yearDay === undefined ? startOfDay(year, (month ?? 1) - 1, day ?? 1) : startOfDay(year, 0, yearDay)
  const date = new Date(start)
  if (yearDay !== undefined && date.getUTCFullYear() !== year) throw new InvalidTime('day-of-year out of range')
  const isOfMonth = month === undefined || date.getUTCMonth() + 1 === month
  const isOfDay = day === undefined || date.getUTCDate() === day
  if (isOfMonth && isOfDay) return start
  throw new InvalidTime(
    yearDay === undefined ? 'day out of range' : `day-of-year does not match ${isOfMonth ? 'day' : 'month'}`,
  )
}

const zoneOf = ({ isUtc, offset, zoneName }: Fields): Zone => {
  if (isUtc) return UTC
  if (!offset && zoneName === '') return LOCAL
  return { name: zoneName, offset: offset ?? (zoneName.startsWith('GMT') ? Number(zoneName.slice(3)) * 3600 : 0) }
}
