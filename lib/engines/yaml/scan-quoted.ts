import { hexValue, isBlankOrEnd, isBreak } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { foldBreaks, scanGap } from './scan-gap.ts'
import { type Token, token } from './token.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

const SINGLE = 39
const DOUBLE = 34
const BACKSLASH = 92

/** Scans a single- or double-quoted scalar; the cursor is on its opening quote. */
export const scanQuoted = (cursor: Cursor): Token => {
  const start = cursor.mark()
  const quote = cursor.at()
  cursor.pos++
  let text = ''
  for (;;) {
    if (cursor.atDocumentIndicator()) throw cursor.fault('found unexpected document indicator', start)
    if (cursor.atEnd()) throw cursor.fault('found unexpected end of stream', start)

    let joined = false
    let from = cursor.pos
    for (;;) {
      const c = cursor.at()
      if (isBlankOrEnd(c)) break
      if (c === quote) {
        if (quote === DOUBLE || cursor.at(1) !== SINGLE) break
        text += cursor.text.slice(from, cursor.pos + 1)
        cursor.pos += 2
        from = cursor.pos
      } else if (c === BACKSLASH && quote === DOUBLE) {
        text += cursor.text.slice(from, cursor.pos)
        cursor.pos++
        if (isBreak(cursor.at())) {
          cursor.takeBreak()
          joined = true
          from = cursor.pos
          break
        }
        text += scanEscape(cursor, start)
        from = cursor.pos
      } else cursor.pos++
    }
    text += cursor.text.slice(from, cursor.pos)
    if (cursor.at() === quote) {
      cursor.pos++
      return token('scalar', start, text, quote === SINGLE ? 'single' : 'double')
    }
    text += foldWhitespace(cursor, joined)
  }
}

const scanEscape = (cursor: Cursor, start: Token['start']): string => {
  const letter = cursor.text[cursor.pos]!
  cursor.pos++
  const plain = ESCAPES[letter]
  if (plain !== undefined) return plain
  const length = HEX_LENGTH[letter]
  if (length === undefined) throw cursor.fault('found unknown escape character', start)
  let code = 0
  for (let i = 0; i < length; i++) {
    const digit = hexValue(cursor.at(i))
    if (digit < 0) throw cursor.fault('did not find expected hexdecimal number', start)
    code = code * 16 + digit
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw cursor.fault('found invalid Unicode character escape code', start)
  cursor.pos += length
  return String.fromCodePoint(code)
}

/** White space within a quoted scalar: kept within a line, folded across line breaks. */
const foldWhitespace = (cursor: Cursor, joined: boolean): string => {
  const gap = scanGap(cursor, joined)
  return gap.broke ? foldBreaks(gap, joined) : gap.blanks
}
