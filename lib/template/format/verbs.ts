import { requireBounded } from '../values/require-bounded.ts'
import { sortedKeys } from '../values/text.ts'
import { Complex, Int, Struct, TemplateFunction, typeNameOf, type Value } from '../values/value.ts'
import { formatFloatVerb, hexadecimalFloat } from './float-verb.ts'
import { formatValue } from './format-value.ts'
import { goSyntax } from './go-syntax.ts'
import { formatInteger } from './integer-verb.ts'
import { type Flags, pad } from './pad.ts'
import { quote } from './quote.ts'

/** One value under one verb; lists and maps apply it to what they hold. */
export const formatVerb = (verb: string, value: Value, flags: Flags): string => {
  if (value === undefined || value === null)
    return verb === 'v' || verb === 'T' ? pad('<nil>', flags) : `%!${verb}(<nil>)`
  requireBounded(value)
  if (verb === 'T') return formatText('s', typeNameOf(value), flags)
  if (verb === 'v' && flags.sharp) return pad(goSyntax(value), flags)
  // With %+v the plus asks for the names of fields.
  return format(verb, value, verb === 'v' ? { ...flags, plus: false } : flags)
}

const format = (verb: string, value: Value, flags: Flags): string => {
  switch (typeof value) {
    case 'string':
      return formatText(verb, value, flags)
    case 'boolean':
      return verb === 't' || verb === 'v' ? pad(String(value), flags) : badVerb(verb, value, flags)
    case 'number':
      return formatFloat(verb, value, flags)
    case 'bigint':
      return formatInteger(verb, value, flags) ?? badVerb(verb, value, flags)
  }
  // Not padded within a list or map.
  if (value === null || value === undefined) return '<nil>'
  if (value instanceof Int) return formatInteger(verb, value.value, flags) ?? badVerb(verb, value, flags)
  if (Array.isArray(value)) return `[${value.map(item => format(verb, item, flags)).join(' ')}]`
  if (value instanceof Map) {
    const fields = sortedKeys(value).map(key => `${format(verb, key, flags)}:${format(verb, value.get(key), flags)}`)
    return `map[${fields.join(' ')}]`
  }
  if (value instanceof Struct && value.text) return formatText(verb, value.text(), flags)
  if (value instanceof Struct) return `{${[...value.fields.values()].map(item => format(verb, item, flags)).join(' ')}}`
  if (value instanceof Complex && verb === 'v') return pad(formatValue(value), flags)
  if (value instanceof TemplateFunction && verb === 'v') return pad(formatValue(value), flags)
  return badVerb(verb, value, flags)
}

/** What was asked for cannot be shown so: the value follows as %v, in the same width. */
const badVerb = (verb: string, value: Value, flags: Flags): string =>
  `%!${verb}(${typeNameOf(value)}=${format('v', value, flags)})`

const formatText = (verb: string, text: string, flags: Flags): string => {
  const { precision } = flags
  const cut = precision === undefined ? text : [...text].slice(0, precision).join('')
  switch (verb) {
    case 'v':
    case 's':
      return pad(cut, flags)
    case 'q':
      return pad(flags.sharp && !/[`\n\r]/.test(cut) ? `\`${cut}\`` : quote(cut, flags.plus), flags)
    case 'x':
    case 'X':
      return pad(hexOfText(text, verb, flags), flags)
    default:
      return badVerb(verb, text, flags)
  }
}

const hexOfText = (text: string, verb: 'x' | 'X', { precision, sharp, space }: Flags): string => {
  const bytes = [...Buffer.from(text)].slice(0, precision)
  const prefix = sharp ? '0x' : ''
  const hex = bytes.map(byte => byte.toString(16).padStart(2, '0'))
  const joined = space ? hex.map(each => prefix + each).join(' ') : hex.length > 0 ? prefix + hex.join('') : ''
  return verb === 'X' ? joined.toUpperCase() : joined
}

const formatFloat = (verb: string, value: number, flags: Flags): string => {
  const { precision } = flags
  const digits = precision ?? (verb === 'v' || verb === 'g' || verb === 'G' ? -1 : 6)
  switch (verb) {
    case 'v':
      return padNumber(formatFloatVerb(value, 'g', digits), flags)
    case 'x':
      return padNumber(hexadecimalFloat(value, precision ?? -1), flags)
    case 'X':
      return padNumber(hexadecimalFloat(value, precision ?? -1).toUpperCase(), flags)
    case 'e':
    case 'f':
    case 'g':
      return padNumber(formatFloatVerb(value, verb, digits), flags)
    case 'F':
      return padNumber(formatFloatVerb(value, 'f', digits), flags)
    case 'E':
    case 'G':
      return padNumber(
        formatFloatVerb(value, verb === 'E' ? 'e' : 'g', digits)
          .toUpperCase()
          .replace('INF', 'Inf')
          .replace('NAN', 'NaN'),
        flags,
      )
    default:
      return badVerb(verb, value, flags)
  }
}

/** Zeros go between sign and digits; infinities get none. */
const padNumber = (text: string, flags: Flags): string => {
  const isNegative = text.startsWith('-')
  const sign = isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  const digits = text.replace(/^[+-]/, '')
  const isNumber = /^[0-9.]/.test(digits)
  const shown =
    !isNumber && !isNegative && text.startsWith('+') && !flags.plus && !flags.space ? `+${digits}` : sign + digits
  if (!flags.zero || flags.minus || !isNumber || flags.width === undefined) return pad(shown, { ...flags, zero: false })
  return sign + digits.padStart(flags.width - sign.length, '0')
}
