import { binaryFloat, formatFloat, hexadecimalFloat } from '../../../foundations/go/format-float.ts'
import { quote, quoteToAscii } from '../../../foundations/go/quote.ts'
import { Bytes } from '../values/bytes.ts'
import { requireBounded } from '../values/require-bounded.ts'
import { bytesOf, sortedKeys } from '../values/text.ts'
import { Complex, Int, integerOf, isNothing, Struct, typeNameOf, type Value } from '../values/value.ts'
import { formatValue } from './format-value.ts'
import { goSyntax } from './go-syntax.ts'
import { formatInteger } from './integer-verb.ts'
import { type Flags, pad } from './pad.ts'

/** Formats one value with one verb; for lists and maps, each of their items. */
export const formatVerb = (verb: string, value: Value, flags: Flags): string => {
  if (isNothing(value)) return verb === 'v' || verb === 'T' ? pad('<nil>', flags) : `%!${verb}(<nil>)`
  requireBounded(value)
  if (verb === 'T') return formatText('s', typeNameOf(value), flags)
  if (verb === 'v' && flags.sharp)
    return goSyntax(value, (verb, leaf) => format(verb, leaf, { ...flags, sharp: verb === 'x', plus: false }))
  return format(verb, value, verb === 'v' ? { ...flags, plus: false, isNamed: flags.plus } : flags)
}

const format = (verb: string, value: Value, flags: Flags): string => {
  switch (typeof value) {
    case 'string':
      return formatText(verb, value, flags)
    case 'boolean':
      return verb === 't' || verb === 'v' ? pad(String(value), flags) : invalidVerb(verb, value, flags)
    case 'number':
      return printFloat(verb, value, flags)
    case 'bigint':
      return formatInteger(verb, value, flags) ?? invalidVerb(verb, value, flags)
  }
  if (value instanceof Int) return formatInteger(verb, value.value, flags) ?? invalidVerb(verb, value, flags)
  if (Array.isArray(value)) return `[${value.map(item => format(verb, item, flags)).join(' ')}]`
  if (value instanceof Map) {
    const fields = sortedKeys(value).map(key => `${format(verb, key, flags)}:${format(verb, value.get(key), flags)}`)
    return `map[${fields.join(' ')}]`
  }
  if (value instanceof Struct) return formatStruct(verb, value, flags)
  if (value instanceof Complex)
    return floatText(verb, 0, 0) === undefined ? invalidVerb(verb, value, flags) : formatComplex(verb, value, flags)
  // Nil within a list or map is not padded.
  return formatValue(value)
}

/** Uses the String method, if there is one and the verb accepts strings. */
const formatStruct = (verb: string, struct: Struct, flags: Flags): string => {
  const { typeName, fields, underlying } = struct
  if (struct instanceof Bytes && verb === 'v') return pad(formatValue(struct), flags)
  if (struct.text && /[vsqxX]/.test(verb)) return formatText(verb, struct.text(), flags)
  const integer = integerOf(underlying)
  if (integer !== undefined)
    return formatInteger(verb, integer, flags) ?? invalidVerb(verb, underlying, flags, typeName)
  const shown = [...fields].map(([name, item]) => (flags.isNamed ? `${name}:` : '') + format(verb, item, flags))
  return `${typeName.startsWith('*') ? '&' : ''}{${shown.join(' ')}}`
}

/** The verb does not apply: Go prints an error with the value as %v, in the same width. */
const invalidVerb = (verb: string, value: Value, flags: Flags, type = typeNameOf(value)): string =>
  `%!${verb}(${type}=${format('v', value, flags)})`

const formatText = (verb: string, text: string, flags: Flags): string => {
  const cut = [...text].slice(0, flags.precision).join('')
  switch (verb) {
    case 'v':
    case 's':
      return pad(cut, flags)
    case 'q':
      return pad(flags.sharp && isRaw(cut) ? `\`${cut}\`` : (flags.plus ? quoteToAscii : quote)(cut), flags)
    case 'x':
    case 'X':
      return pad(hexOfText(text, verb, flags), flags)
    default:
      return invalidVerb(verb, text, flags)
  }
}

/** Whether it can be written in backquotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they can't be in a raw string
const isRaw = (text: string): boolean => !/[`\0-\x08\n-\x1f\x7f\ufeff\ud800-\udfff]/u.test(text)

const hexOfText = (text: string, verb: 'x' | 'X', { precision, sharp, space }: Flags): string => {
  const bytes = [...bytesOf(text)].slice(0, precision)
  const prefix = sharp ? '0x' : ''
  const hex = bytes.map(byte => byte.toString(16).padStart(2, '0'))
  const joined = space ? hex.map(each => prefix + each).join(' ') : hex.length > 0 ? prefix + hex.join('') : ''
  return verb === 'X' ? joined.toUpperCase() : joined
}

const printFloat = (verb: string, value: number, flags: Flags): string => {
  const text = floatText(verb, value, flags.precision)
  if (text === undefined) return invalidVerb(verb, value, flags)
  return padNumber(flags.sharp && Number.isFinite(value) ? withSharpFlag(verb, text, flags.precision) : text, flags)
}

/** Undefined for a verb that does not apply to floats. */
const floatText = (verb: string, value: number, precision: number | undefined): string | undefined => {
  switch (verb) {
    case 'v':
    case 'g':
      return formatFloat(value, 'g', precision ?? -1)
    case 'e':
    case 'f':
      return formatFloat(value, verb, precision ?? 6)
    case 'b':
      return binaryFloat(value)
    case 'x':
      return hexadecimalFloat(value, precision ?? -1)
    case 'E':
    case 'F':
    case 'G':
    case 'X': {
      const text = floatText(verb.toLowerCase(), value, precision)!
      return Number.isFinite(value) ? text.toUpperCase() : text
    }
  }
}

/** `#` keeps the decimal point, and trailing zeros up to the precision. */
const withSharpFlag = (verb: string, text: string, precision: number | undefined): string => {
  if (verb === 'b') return text
  const [, start, end] = /(.*?)([pP].*|(?<!0[xX].*)[eE].*)?$/.exec(text)!
  const digits = start!.replace(/[-0.]*/, '').replace('.', '').length + (/^-?0$/.test(start!) ? 1 : 0)
  const wanted = /[vgGx]/.test(verb) ? (precision ?? 6) : 0
  return `${start}${start!.includes('.') ? '' : '.'}${'0'.repeat(Math.max(0, wanted - digits))}${end ?? ''}`
}

/** Zeros go between sign and digits; infinities get none. */
const padNumber = (text: string, flags: Flags): string => {
  const isNumber = /\d/.test(text)
  const unsigned = text.replace(/^[+-]/, '')
  const sign = text.startsWith('-') ? '-' : flags.plus ? '+' : flags.space ? ' ' : text.startsWith('+') ? '+' : ''
  const { width = 0, zero, minus } = flags
  return zero && !minus && isNumber
    ? sign + unsigned.padStart(width - sign.length, '0')
    : pad(sign + unsigned, { ...flags, zero: false })
}

/** Both parts with the verb, the second always with its sign. */
const formatComplex = (verb: string, { real, imaginary }: Complex, flags: Flags): string =>
  `(${printFloat(verb, real, flags)}${printFloat(verb, imaginary, { ...flags, plus: true })}i)`
