import { integerOf, isNothing, typeNameOf, type Value } from '../values/value.ts'
import { formatValue } from './format-value.ts'
import type { Flags } from './pad.ts'
import { formatVerb } from './verbs.ts'

/** Wider fields are refused; Go's limit is ten times as large. */
const MAX_WIDTH = 1e6

interface Cursor {
  readonly format: string
  readonly values: readonly Value[]
  position: number
  argument: number
  /** Whether arguments were selected by index: then none is reported as extra. */
  reordered: boolean
  /** Whether the directive's last [n] was a valid index. */
  goodIndex?: boolean
}

/** fmt.Sprintf, including how it reports errors of the format in the output. */
export const sprintf = (format: string, values: readonly Value[]): string => {
  const cursor: Cursor = { format, values, position: 0, argument: 0, reordered: false }
  let out = ''
  for (;;) {
    const percent = format.indexOf('%', cursor.position)
    if (percent < 0) return out + format.slice(cursor.position) + leftOver(cursor)
    out += format.slice(cursor.position, percent)
    cursor.position = percent + 1
    out += directive(cursor)
  }
}

const leftOver = ({ values, argument, reordered }: Cursor): string => {
  if (reordered || argument >= values.length) return ''
  const extra = values
    .slice(argument)
    .map(value => (isNothing(value) ? '<nil>' : `${typeNameOf(value)}=${formatValue(value)}`))
  return `%!(EXTRA ${extra.join(', ')})`
}

const directive = (cursor: Cursor): string => {
  const plain = plainDirective(cursor)
  if (plain !== undefined) return plain
  const { format, values } = cursor
  cursor.goodIndex = true
  const flags = readFlags(cursor)
  let out = ''
  let hasIndex = readIndex(cursor)
  if (format[cursor.position] === '*') {
    cursor.position++
    const width = starValue(cursor)
    if (width === undefined) out += '%!(BADWIDTH)'
    else {
      flags.width = Math.abs(width)
      if (width < 0) flags.minus = true
    }
    hasIndex = false
  } else {
    const width = readNumber(cursor)
    if (width !== undefined) {
      flags.width = width
      if (hasIndex) cursor.goodIndex = false
    }
  }
  // At the end of the format a point is a verb.
  if (format[cursor.position] === '.' && cursor.position + 1 < format.length) {
    cursor.position++
    if (hasIndex) cursor.goodIndex = false
    hasIndex = readIndex(cursor)
    if (format[cursor.position] === '*') {
      cursor.position++
      const precision = starValue(cursor)
      if (precision === undefined || precision < 0) out += '%!(BADPREC)'
      else flags.precision = precision
      hasIndex = false
    } else flags.precision = readNumber(cursor) ?? 0
  }
  if (!hasIndex) readIndex(cursor)
  const code = format.codePointAt(cursor.position)
  if (code === undefined) return `${out}%!(NOVERB)`
  const verb = String.fromCodePoint(code)
  cursor.position += verb.length
  if (verb === '%') return `${out}%`
  if (!cursor.goodIndex) return `${out}%!${verb}(BADINDEX)`
  if (cursor.argument >= values.length) return `${out}%!${verb}(MISSING)`
  return out + formatVerb(verb, values[cursor.argument++], flags)
}

/** %s of strings and %d of integers, the usual case, need no flags. */
const plainDirective = (cursor: Cursor): string | undefined => {
  const [verb, value] = [cursor.format[cursor.position], cursor.values[cursor.argument]]
  const isPlain =
    typeof value === 'string' ? verb === 's' || verb === 'v' : verb === 'd' && integerOf(value) !== undefined
  if (!isPlain) return undefined
  cursor.position++
  cursor.argument++
  return typeof value === 'string' ? value : String(integerOf(value))
}

const readFlags = (cursor: Cursor): Flags => {
  const flags: Flags = {}
  for (;;) {
    switch (cursor.format[cursor.position]) {
      case '#':
        flags.sharp = true
        break
      case '0':
        flags.zero = true
        break
      case '+':
        flags.plus = true
        break
      case '-':
        flags.minus = true
        break
      case ' ':
        flags.space = true
        break
      default:
        return flags
    }
    cursor.position++
  }
}

/** `[n]`: selects the nth argument next. */
const readIndex = (cursor: Cursor): boolean => {
  const { format, position } = cursor
  if (format[position] !== '[') return false
  cursor.reordered = true
  const close = format.indexOf(']', position)
  cursor.position = close === -1 ? position + 1 : close + 1
  const index = Number(/^\[([0-9]+)\]/.exec(format.slice(position))?.[1])
  if (index >= 1 && index <= cursor.values.length) cursor.argument = index - 1
  else cursor.goodIndex = false
  return cursor.goodIndex === true
}

/** A number that is too large ends the format: the rest is ignored. */
const readNumber = (cursor: Cursor): number | undefined => {
  let digits = ''
  while (/[0-9]/.test(cursor.format.charAt(cursor.position))) digits += cursor.format[cursor.position++]
  if (!digits) return undefined
  if (Number(digits) <= MAX_WIDTH) return Number(digits)
  cursor.position = cursor.format.length
  return undefined
}

const starValue = (cursor: Cursor): number | undefined => {
  const value = integerOf(cursor.values[cursor.argument++])
  return value === undefined || value > BigInt(MAX_WIDTH) || value < -BigInt(MAX_WIDTH) ? undefined : Number(value)
}
