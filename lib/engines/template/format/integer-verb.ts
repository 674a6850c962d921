import { characterOf, isCharacter, isPrintable, quoteCharacter } from '../../../foundations/go/quote.ts'
import { type Flags, pad } from './pad.ts'

/** Formats an integer; undefined for a verb that does not apply to integers. */
export const formatInteger = (verb: string, value: bigint, flags: Flags): string | undefined => {
  switch (verb) {
    case 'v':
    case 'd':
      return inBase(value, 10, '', flags)
    case 'b':
      return inBase(value, 2, flags.sharp ? '0b' : '', flags)
    case 'o':
      return inBase(value, 8, '', flags)
    case 'O':
      return inBase(value, 8, '0o', flags)
    case 'x':
      return inBase(value, 16, flags.sharp ? '0x' : '', flags)
    case 'X':
      return inBase(value, 16, flags.sharp ? '0X' : '', flags).toUpperCase()
    case 'c':
      return pad(characterOf(value), flags)
    case 'q':
      return pad(quoteCharacter(value, flags.plus), flags)
    case 'U':
      return pad(unicodeName(value, flags), { ...flags, zero: false })
  }
}

/** Prints the code of an invalid character. */
const unicodeName = (code: bigint, { sharp, precision = 0 }: Flags): string => {
  const name = `U+${hex(BigInt.asUintN(64, code), Math.max(4, precision))}`
  const character = characterOf(code)
  return sharp && isCharacter(code) && isPrintable(character) ? `${name} '${character}'` : name
}

const hex = (value: bigint, width: number): string => value.toString(16).toUpperCase().padStart(width, '0')

const inBase = (value: bigint, base: number, prefix: string, flags: Flags): string => {
  const { precision, width = 0, zero, minus, plus, space } = flags
  const sign = value < 0n ? '-' : plus ? '+' : space ? ' ' : ''
  if (precision === 0 && value === 0n) return pad('', { ...flags, zero: false })
  const magnitude = value.toString(base).replace('-', '')
  const fill = precision ?? (zero && !minus ? width - sign.length : 0)
  const digits = magnitude.padStart(fill, '0')
  const octal = flags.sharp && base === 8 && !digits.startsWith('0') ? '0' : ''
  return pad(sign + prefix + octal + digits, { ...flags, zero: false })
}
