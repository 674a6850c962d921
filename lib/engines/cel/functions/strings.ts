/** Strings: positions count characters (code points), as in Go. */
import { SHORT_ESCAPES } from '../../../foundations/go/quote.ts'
import { trimSpace } from '../../../foundations/go/white-space.ts'
import { evaluationError, noSuchOverload } from '../cel-error.ts'
import { matches } from '../matches.ts'
import { printed } from '../printed.ts'
import type { Value } from '../values.ts'
import { format } from './format.ts'
import type { Functions } from './function.ts'

export const stringFunctions: Functions = {
  'size(string): int': (text: string) => BigInt(charactersOf(text).length),
  'string.contains(string): bool': (text: string, part: string) => text.includes(part),
  'string.startsWith(string): bool': (text: string, part: string) => text.startsWith(part),
  'string.endsWith(string): bool': (text: string, part: string) => text.endsWith(part),
  'string.matches(string): bool': matches,
  'string.charAt(int): string': (text: string, at: bigint) => {
    const characters = charactersOf(text)
    if (at < 0n || at > characters.length) throw outOfRange(at)
    return characters[Number(at)] ?? ''
  },
  'string.indexOf(string): int': (text: string, part: string) => indexOf(text, part, 0n),
  'string.indexOf(string, int): int': (text: string, part: string, from: bigint) => indexOf(text, part, from),
  'string.lastIndexOf(string): int': (text: string, part: string) => lastIndexOf(text, part),
  'string.lastIndexOf(string, int): int': (text: string, part: string, from: bigint) => lastIndexOf(text, part, from),
  'string.lowerAscii(): string': (text: string) => text.replace(/[A-Z]+/g, upper => upper.toLowerCase()),
  'string.upperAscii(): string': (text: string) => text.replace(/[a-z]+/g, lower => lower.toUpperCase()),
  'string.replace(string, string): string': (text: string, from: string, to: string) => replace(text, from, to),
  'string.replace(string, string, int): string': replace,
  'string.split(string): list<string>': (text: string, separator: string) => split(text, separator),
  'string.split(string, int): list<string>': split,
  'string.substring(int): string': (text: string, start: bigint) => substring(text, start),
  'string.substring(int, int): string': substring,
  'string.trim(): string': trimSpace,
  'string.reverse(): string': (text: string) => charactersOf(text).reverse().join(''),
  'string.format(list): string': format,
  'strings::quote(string): string': quote,
  'list.join(): string': (list: readonly Value[]) => join(list, '', 'join(list)'),
  'list.join(string): string': (list: readonly Value[], separator: string) =>
    join(list, separator, 'join(list, string)'),
}

const maxTextLength = 1_000_000

const charactersOf = (text: string): string[] => [...text]

const outOfRange = (index: bigint) => evaluationError(`index out of range: ${index}`, 'index out of range')

function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from
  if (from < 0n) throw outOfRange(from)
  const characters = charactersOf(text)
  const skipped = characters.slice(0, Number(from)).join('').length
  return placeOf(text, text.indexOf(part, skipped))
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const characters = charactersOf(text)
  if (part === '') return from ?? BigInt(characters.length)
  if (from === undefined) return placeOf(text, text.lastIndexOf(part))
  if (from < 0n) throw outOfRange(from)
  const last = characters.slice(0, Number(from)).join('').length
  return placeOf(text, from < characters.length ? text.lastIndexOf(part, last) : -1)
}

/** The character position of a code unit offset. */
const placeOf = (text: string, at: number): bigint => (at < 0 ? -1n : BigInt(charactersOf(text.slice(0, at)).length))

function replace(text: string, from: string, to: string, times = -1n): string {
  const limit = times < 0n ? Number.POSITIVE_INFINITY : Number(times)
  // Go inserts the replacement of the empty string before every character and at the end.
  const pieces = from === '' ? ['', ...charactersOf(text), ''] : text.split(from)
  const replaced = Math.min(pieces.length - 1, limit)
  if (text.length + replaced * to.length > maxTextLength) throw evaluationError('the text grows too long')
  return (
    pieces.slice(0, replaced + 1).join(to) +
    pieces
      .slice(replaced + 1)
      .map(piece => from + piece)
      .join('')
  )
}

function split(text: string, separator: string, limit = -1n): readonly string[] {
  if (limit === 0n) return []
  const pieces = separator === '' ? charactersOf(text) : text.split(separator)
  if (limit < 0n || pieces.length <= limit) return pieces
  const last = Number(limit) - 1
  return [...pieces.slice(0, last), pieces.slice(last).join(separator)]
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = charactersOf(text)
  const last = end ?? start
  if (start > last)
    throw evaluationError(`invalid substring range. start: ${start}, end: ${end}`, 'invalid substring range')
  for (const at of [start, last]) if (at < 0n || at > characters.length) throw outOfRange(at)
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('')
}

/** cel-go checks only the first item to decide whether a list is one of strings. */
const join = (list: readonly Value[], separator: string, call: string): string => {
  const other = list.find(item => typeof item !== 'string')
  if (other === undefined) return list.join(separator)
  if (typeof list[0] !== 'string') throw noSuchOverload(call)
  throw evaluationError(`join: invalid input: ${printed(other)}`, 'join: invalid input')
}

const escapes: ReadonlyMap<string, string> = new Map([...SHORT_ESCAPES, ['"', '\\"']])

function quote(text: string): string {
  return `"${Array.from(text.toWellFormed(), character => escapes.get(character) ?? character).join('')}"`
}
