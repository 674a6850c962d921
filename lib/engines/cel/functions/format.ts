import { formatFloat } from '../../../foundations/go/format-float.ts'
import { evaluationError } from '../cel-error.ts'
import { isList, isMap, type List, Optional, Timestamp, typeName, Uint, type Value } from '../values.ts'
import { textOf } from './conversions.ts'
import { timestampText } from './time.ts'

const maxLength = 100_000

/** `'%s is %d'.format([...])`: CEL's verbs (%s %d %f %e %b %o %x %X), with a precision where it applies. */
export const format = (template: string, args: List): string => {
  let next = 0
  const text = template.replace(
    /%(?:%|(?:\.(\d*))?(.?))/gsu,
    (clause, precision: string | undefined, verb?: string) => {
      if (verb === undefined) return '%'
      const value = args[next++]
      if (value === undefined) throw evaluationError(`index ${next - 1} out of range`, 'index out of range')
      if (clause === '%') throw evaluationError('unexpected end of string')
      if (verb === '') throw unreadable('while parsing precision: could not find end of precision specifier')
      const digits = precisionOf(precision)
      return verbOf(verb)(value, digits)
    },
  )
  if (text.length > maxLength) throw tooLong()
  return text
}

const tooLong = () => evaluationError('the formatted text is too long')

const precisionOf = (precision = '6'): number => {
  if (precision === '')
    throw unreadable(
      'while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    )
  if (Number(precision) > maxLength) throw tooLong()
  return Number(precision)
}

const verbOf = (verb: string): Verb => {
  const write = verbs[verb]
  if (write) return write
  // Go takes the first byte for a character.
  const shown = String.fromCharCode(Buffer.from(verb)[0]!)
  const problem = 'could not parse formatting clause: unrecognized formatting clause'
  throw evaluationError(`${problem} "${shown}"`, problem)
}

const unreadable = (why: string) => evaluationError(`could not parse formatting clause: error ${why}`)

type Verb = (value: Value, precision: number) => string

const mismatch = (who: string, value: Value) =>
  evaluationError(`error during formatting: ${who}, was given ${typeName(value)}`)

const special = (value: number): string | undefined => (Number.isFinite(value) ? undefined : String(value))

const wholeOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined

const onNumbers = 'clause can only be used on ints, uints, and doubles'

/** Go's output for a verb that does not apply: integers pass as numbers, but can't be written as floats. */
const invalidVerb = (verb: string, value: bigint | Uint, precision: number): string => {
  const [type, number] = value instanceof Uint ? ['uint64', value.value] : ['int64', value]
  const digits = String(number).replace('-', '').padStart(precision, '0')
  return `%!${verb}(${type}=${number < 0n ? '-' : ''}${digits})`
}

const fraction =
  (verb: 'e' | 'f', name: string): Verb =>
  (value, precision) => {
    if (typeof value === 'bigint' || value instanceof Uint) return invalidVerb(verb, value, precision)
    if (typeof value !== 'number') throw mismatch(`${name} ${onNumbers}`, value)
    return special(value) ?? formatFloat(value, verb, precision)
  }

const inBase =
  (base: number, who: string): Verb =>
  value => {
    const whole = wholeOf(value)
    if (whole === undefined) throw mismatch(who, value)
    return whole.toString(base)
  }

const binary = inBase(2, 'only ints, uints, and bools can be formatted as binary')
const hexadecimal = inBase(16, 'only ints, uints, bytes, and strings can be formatted as hex')

const hex: Verb = (value, precision) =>
  typeof value === 'string' || value instanceof Uint8Array
    ? Buffer.from(value as string).toString('hex')
    : hexadecimal(value, precision)

const verbs: Readonly<Record<string, Verb>> = {
  __proto__: null as never,
  s: shown,
  d: value => {
    if (typeof value === 'number') return special(value) ?? formatFloat(value, 'f', -1)
    const whole = wholeOf(value)
    if (whole === undefined) throw mismatch(`decimal ${onNumbers}`, value)
    return String(whole)
  },
  f: fraction('f', 'fixed-point'),
  e: fraction('e', 'scientific'),
  b: (value, precision) => (typeof value === 'boolean' ? String(Number(value)) : binary(value, precision)),
  o: inBase(8, 'octal clause can only be used on ints and uints'),
  x: hex,
  X: (value, precision) => hex(value, precision).toUpperCase(),
}

/** A value as `%s` writes it; lists and maps with their contents. */
function shown(value: Value): string {
  if (value === null) return 'null'
  if (isList(value)) return `[${value.map(shown).join(', ')}]`
  if (isMap(value)) {
    const entries = [...value].map(([key, field]) => [shown(key), shown(field)] as const)
    return `{${entries
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map(entry => entry.join(': '))
      .join(', ')}}`
  }
  if (typeof value === 'number') return special(value) ?? formatFloat(value, 'f', -1)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof Timestamp) return timestampText(value, 0)
  if (value instanceof Optional)
    throw mismatch(
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      value,
    )
  return 'name' in Object(value) ? (value as { name: string }).name : textOf(value)
}
