/** strconv's quoting, and how Go names a character in messages. */

const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

export const isPrintable = (character: string): boolean => PRINTABLE.test(character)

export const isCharacter = (code: bigint): boolean =>
  code >= 0n && code <= 0x10ffffn && !(code >= 0xd800n && code <= 0xdfffn)

/** The character of a code point, as Go's `%c` prints it: the replacement character for what is none. */
export const characterOf = (code: bigint): string => (isCharacter(code) ? String.fromCodePoint(Number(code)) : '\ufffd')

/** Characters with a short escape, besides quotes. */
export const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
])

const PLAIN = /^[ !#-[\]-~]*$/

/** strconv.Quote. A lone surrogate becomes U+FFFD, as in Go's readers; U+DC80 to U+DCFF represent invalid UTF-8 bytes. */
export const quote = (text: string): string => inQuotes(text, false)

/** strconv.QuoteToASCII. */
export const quoteToAscii = (text: string): string => inQuotes(text, true)

const inQuotes = (text: string, ascii: boolean): string =>
  PLAIN.test(text) ? `"${text}"` : `"${[...text].map(c => escaped(c, '"', ascii)).join('')}"`

/** strconv.QuoteRune. */
export const quoteCharacter = (code: bigint, ascii = false): string => `'${escaped(characterOf(code), "'", ascii)}'`

const escaped = (character: string, quoteMark: string, ascii: boolean): string => {
  if (character === quoteMark) return `\\${character}`
  const short = SHORT_ESCAPES.get(character)
  if (short) return short
  const code = character.codePointAt(0)!
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`
  if (!character.isWellFormed()) return escaped('\ufffd', quoteMark, ascii)
  if ((ascii ? /[ -~]/ : PRINTABLE).test(character)) return character
  if (code < 0x80) return `\\x${hex(code, 2)}`
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0')

/** `%#U`: U+002D '-'. The end of the text has no character. */
export const describeCharacter = (character: string): string => {
  if (character === '') return 'U+FFFFFFFFFFFFFFFF'
  const code = character.codePointAt(0)!
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return isPrintable(character) ? `${name} '${character}'` : name
}
