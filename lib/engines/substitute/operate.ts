import { type Operator, SubstitutionError } from './expression.ts'
import { matchingPrefixes } from './glob.ts'

/** Characters. */
const MAX_REPLACED = 16 * 1024 * 1024

/** Applies an operator to a variable's value. Lengths and offsets are in UTF-8 bytes. */
export const operate = (operator: Operator, value: string, operands: readonly string[]): string => {
  const [first, second] = operands as readonly [string, string?]
  switch (operator) {
    case 'length':
      return String(Buffer.byteLength(value))
    case '=':
    case ':=':
    case ':-':
    case ':?':
    case ':+':
      return value || operands.join('')
    case ':':
      return substring(value, first, second)
    case '#':
      return removePrefix(value, first, 'shortest')
    case '##':
      return removePrefix(value, first, 'longest')
    case '%':
      return reversed(removePrefix(reversed(value), reversed(first), 'shortest'))
    case '%%':
      return reversed(removePrefix(reversed(value), reversed(first), 'longest'))
    case '/':
      return value.replace(first, () => second ?? '')
    case '//':
      return replaceAll(value, first, second ?? '')
    case '/#':
      return second !== undefined && value.startsWith(first) ? second + value.slice(first.length) : value
    case '/%':
      return second !== undefined && value.endsWith(first)
        ? value.slice(0, value.length - first.length) + second
        : value
    case '^^':
      return mapCharacters(value, toUpper)
    case ',,':
      return mapCharacters(value, toLower)
    case '^':
      return mapFirst(value, toUpper)
    case ',':
      return mapFirst(value, toLower)
    default:
      return value
  }
}

/** A short pattern with a long replacement would exhaust memory before the result could be checked. */
const replaceAll = (value: string, pattern: string, replacement: string): string => {
  const pieces = value.split(pattern)
  if (pieces.length * replacement.length > MAX_REPLACED) throw new SubstitutionError('the replacements are too long')
  return value.replaceAll(pattern, () => replacement)
}

/** A number that can't be parsed yields the whole value. A negative offset counts from the end, and a negative length back from there. */
const substring = (value: string, offset: string, length: string | undefined): string => {
  const bytes = Buffer.from(value)
  const start = parseInteger(offset)
  if (start === undefined) return value
  const from = start < 0 ? Math.max(bytes.length + start, 0) : start
  if (length === undefined) return bytes.subarray(from).toString()
  const count = parseInteger(length)
  if (count === undefined) return value
  const to = count < 0 ? Math.max(bytes.length + count, 0) : from + count
  return bytes.subarray(from, to).toString()
}

/** Undefined if it is not an integer of 64 bits. */
const parseInteger = (text: string): number | undefined => {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number ? Number(number) : undefined
}

const removePrefix = (value: string, pattern: string, which: 'shortest' | 'longest'): string => {
  const characters = [...value]
  const found = matchingPrefixes(pattern, characters)
  return found ? characters.slice(found[which]).join('') : value
}

const reversed = (text: string): string => [...text].reverse().join('')

const mapCharacters = (text: string, change: (character: string) => string): string => [...text].map(change).join('')

const mapFirst = (text: string, change: (character: string) => string): string => {
  const [first = '', ...rest] = text
  return change(first) + rest.join('')
}

/** Go maps a character to at most one character: `ß` has no upper case. */
const single = (character: string, changed: string): string => ([...changed].length === 1 ? changed : character)
const toUpper = (character: string): string => single(character, character.toUpperCase())
const toLower = (character: string): string => single(character, character.toLowerCase())
