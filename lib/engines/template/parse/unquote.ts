import { textOf } from '../values/text.ts'

/** Go's string and character literals; undefined if strconv.Unquote fails with "invalid syntax". */

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
}
const NUMERIC: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** The text of a literal, which may have invalid UTF-8 (see values/text.ts). The lexer has checked its quotes. */
export const unquote = (literal: string): string | undefined => {
  const quote = literal[0]!
  const body = literal.slice(1, -1)
  if (quote === '`') return body.replaceAll('\r', '')
  if (!body.includes('\\')) return body
  const bytes: Buffer[] = []
  for (let rest = body; rest !== ''; ) {
    const read = readCharacter(rest, quote)
    if (!read) return undefined
    bytes.push(read.isByte ? Buffer.from([read.code]) : Buffer.from(String.fromCodePoint(read.code)))
    rest = rest.slice(read.length)
  }
  return textOf(Buffer.concat(bytes))
}

/** The code point of a character literal 'x'. */
export const unquoteCharacter = (literal: string): number | 'malformed' | undefined => {
  const read = readCharacter(literal.slice(1), "'")
  if (!read || literal[1] === "'") return undefined
  return literal.slice(1 + read.length) === "'" ? read.code : 'malformed'
}

interface Character {
  readonly code: number
  readonly length: number
  /** A single byte rather than a character: \xff and octal escapes. */
  readonly isByte?: boolean
}

const readCharacter = (text: string, quote: string): Character | undefined => {
  if (text[0] !== '\\') {
    const code = text.codePointAt(0)!
    return { code, length: code > 0xffff ? 2 : 1 }
  }
  const c = text[1]!
  if (c === quote) return { code: c.charCodeAt(0), length: 2 }
  if (Object.hasOwn(SIMPLE, c)) return { code: SIMPLE[c]!, length: 2 }
  if (Object.hasOwn(NUMERIC, c)) {
    const digits = text.slice(2, 2 + NUMERIC[c]!)
    const code = Number.parseInt(digits, 16)
    if (digits.length !== NUMERIC[c] || !/^[0-9a-fA-F]+$/.test(digits)) return undefined
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
    return { code, length: 2 + digits.length, isByte: c === 'x' }
  }
  const octal = /^[0-7]{3}/.exec(text.slice(1))?.[0]
  if (!octal || Number.parseInt(octal, 8) > 255) return undefined
  return { code: Number.parseInt(octal, 8), length: 4, isByte: true }
}
