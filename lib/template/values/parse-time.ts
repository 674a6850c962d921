import { quote } from '../format/quote.ts'
import { Time, UTC, type Zone } from './time.ts'
import { MONTHS, splitLayout, WEEKDAYS } from './time-format.ts'

interface Fields {
  year: number
  month: number
  day: number
  yearDay: number
  hour: number
  minute: number
  second: number
  fraction: number
  half: 'AM' | 'PM' | undefined
  zone: Zone | undefined
}

/** How each piece of a layout is read. */
const READERS: Readonly<Record<string, readonly [pattern: RegExp, store: (fields: Fields, text: string) => void]>> = {
  '2006': [/^\d{4}/, (fields, text) => (fields.year = Number(text))],
  '06': [/^\d{2}/, (fields, text) => (fields.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000))],
  January: [oneOf(MONTHS), (fields, text) => (fields.month = indexIn(MONTHS, text) + 1)],
  Jan: [oneOf(MONTHS.map(short)), (fields, text) => (fields.month = indexIn(MONTHS.map(short), text) + 1)],
  '01': [/^\d{2}/, (fields, text) => (fields.month = Number(text))],
  '1': [/^\d{1,2}/, (fields, text) => (fields.month = Number(text))],
  Monday: [oneOf(WEEKDAYS), () => undefined],
  Mon: [oneOf(WEEKDAYS.map(short)), () => undefined],
  '02': [/^\d{2}/, (fields, text) => (fields.day = Number(text))],
  '2': [/^\d{1,2}/, (fields, text) => (fields.day = Number(text))],
  _2: [/^ ?\d{1,2}/, (fields, text) => (fields.day = Number(text))],
  '002': [/^\d{3}/, (fields, text) => (fields.yearDay = Number(text))],
  __2: [/^ {0,2}\d{1,3}/, (fields, text) => (fields.yearDay = Number(text))],
  '15': [/^\d{1,2}/, (fields, text) => (fields.hour = Number(text))],
  '03': [/^\d{2}/, (fields, text) => (fields.hour = Number(text))],
  '3': [/^\d{1,2}/, (fields, text) => (fields.hour = Number(text))],
  '04': [/^\d{2}/, (fields, text) => (fields.minute = Number(text))],
  '4': [/^\d{1,2}/, (fields, text) => (fields.minute = Number(text))],
  '05': [/^\d{2}(?:[.,]\d+)?/, storeSeconds],
  '5': [/^\d{1,2}(?:[.,]\d+)?/, storeSeconds],
  PM: [/^(?:AM|PM)/, (fields, text) => (fields.half = text as 'AM')],
  pm: [/^(?:am|pm)/, (fields, text) => (fields.half = text.toUpperCase() as 'AM')],
  MST: [/^(?:[A-Z]{3,5}|[+-]\d{2})/, (fields, text) => (fields.zone = { name: text, offset: 0 })],
}

function short(name: string): string {
  return name.slice(0, 3)
}
function oneOf(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.join('|')})`, 'i')
}
function storeSeconds(fields: Fields, text: string): void {
  const [seconds, fraction = ''] = text.split(/[.,]/)
  fields.second = Number(seconds)
  fields.fraction = Number(fraction.slice(0, 9).padEnd(9, '0'))
}
const indexIn = (names: readonly string[], text: string): number =>
  names.findIndex(name => name.toLowerCase() === text.toLowerCase())

const OFFSET_PATTERNS: Readonly<Record<string, RegExp>> = {
  '07': /^[+-]\d{2}/,
  '0700': /^[+-]\d{4}/,
  '07:00': /^[+-]\d{2}:\d{2}/,
  '070000': /^[+-]\d{6}/,
  '07:00:00': /^[+-]\d{2}:\d{2}:\d{2}/,
}

/** time.Parse: a layout spells how a value is written. Throws with its message. */
export const parseTime = (layout: string, value: string): Time => {
  const fields: Fields = {
    ...{ year: 0, month: 1, day: 1, yearDay: 0, hour: 0, minute: 0, second: 0, fraction: 0 },
    ...{ half: undefined, zone: undefined },
  }
  const fail = (problem: string): never => {
    throw new Error(`parsing time ${quote(value)}${problem}`)
  }
  const mismatch = (rest: string, wanted: string): never =>
    fail(` as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(wanted)}`)
  let rest = value
  for (const { before, piece } of splitLayout(layout)) {
    const prefix = before
    if (!rest.startsWith(prefix)) mismatch(rest, prefix)
    rest = rest.slice(prefix.length)
    if (piece === '' && rest !== '') fail(`: extra text: ${quote(rest)}`)
    if (piece === '') break
    const read = readPiece(piece, rest, fields)
    if (read === undefined) mismatch(rest, piece)
    rest = rest.slice(read)
  }
  return timeOfFields(fields, problem => fail(`: ${problem}`))
}

/** How many characters were read; undefined where they don't fit. */
const readPiece = (piece: string, rest: string, fields: Fields): number | undefined => {
  if (/^[.,]/.test(piece)) return readFraction(piece, rest, fields)
  const reader = READERS[piece]
  if (!reader) return readOffset(piece, rest, fields)
  const text = reader[0].exec(rest)?.[0]
  if (text === undefined) return undefined
  reader[1](fields, text)
  return text.length
}

const readFraction = (piece: string, rest: string, fields: Fields): number | undefined => {
  // Seconds read their fraction whatever the layout says.
  if (piece[1] === '9' || fields.fraction > 0) return 0
  const text = new RegExp(`^[.,]\\d{${piece.length - 1}}`).exec(rest)?.[0]
  if (!text) return fields.fraction === 0 && !/^[.,]/.test(rest) ? 0 : undefined
  fields.fraction = Number(text.slice(1).padEnd(9, '0'))
  return text.length
}

const readOffset = (piece: string, rest: string, fields: Fields): number | undefined => {
  if (piece.startsWith('Z') && rest.startsWith('Z')) {
    fields.zone = UTC
    return 1
  }
  const text = OFFSET_PATTERNS[piece.slice(1)]?.exec(rest)?.[0]
  if (!text) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = text
    .replace(/[^0-9]/g, '')
    .match(/../g)!
    .map(Number)
  const offset = (hours * 3600 + minutes * 60 + seconds) * (text[0] === '-' ? -1 : 1)
  fields.zone = offset === 0 ? UTC : { name: '', offset }
  return text.length
}

const timeOfFields = (fields: Fields, fail: (problem: string) => never): Time => {
  const { year, month, day, yearDay, minute, second, fraction, half, zone = UTC } = fields
  const hour =
    half === 'PM' && fields.hour < 12 ? fields.hour + 12 : half === 'AM' && fields.hour === 12 ? 0 : fields.hour
  if (month < 1 || month > 12) fail('month out of range')
  if (hour > 23) fail('hour out of range')
  if (minute > 59) fail('minute out of range')
  if (second > 59) fail('second out of range')
  const start = new Date(0)
  start.setUTCFullYear(year, yearDay > 0 ? 0 : month - 1, yearDay > 0 ? yearDay : day)
  const isReal = yearDay > 0 ? start.getUTCFullYear() === year : day >= 1 && start.getUTCMonth() === month - 1
  if (!isReal) fail(yearDay > 0 ? 'day-of-year out of range' : 'day out of range')
  const seconds = start.getTime() / 1000 + hour * 3600 + minute * 60 + second - zone.offset
  return new Time(BigInt(seconds) * 1_000_000_000n + BigInt(fraction), zone)
}
