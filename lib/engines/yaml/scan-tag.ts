import { hexValue, isBlankOrEnd, isWord } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { type Mark, type Token, token } from './token.ts'

const BANG = 33
const URI_PUNCTUATION = ";/?:@&=+$,.!~*'()[]%"

/** Scans `!local`, `!!type`, `!handle!suffix` or `!<uri>`; separates handle and suffix, as directives may define the handle. */
export const scanTag = (cursor: Cursor): Token => {
  const start = cursor.mark()
  let handle = ''
  let suffix: string
  if (cursor.at(1) === 60) {
    cursor.pos += 2
    suffix = scanUri(cursor, '', start)
    if (cursor.at() !== 62) throw cursor.fault("did not find the expected '>'", start)
    cursor.pos++
  } else {
    handle = scanHandle(cursor, start)
    if (handle.length > 1 && handle.endsWith('!')) suffix = scanUri(cursor, '', start)
    else {
      suffix = scanUri(cursor, handle, start)
      handle = '!'
      if (suffix === '') [handle, suffix] = ['', '!']
    }
  }
  if (!isBlankOrEnd(cursor.at())) throw cursor.fault('did not find expected whitespace or line break', start)
  return token('tag', start, handle, '', suffix)
}

/**
 * `!`, `!!` or `!name!`, also without its end: the caller decides what that means. Throws YamlError at another
 * character.
 */
export const scanHandle = (cursor: Cursor, start: Mark): string => {
  if (cursor.at() !== BANG) throw cursor.fault("did not find expected '!'", start)
  const from = cursor.pos++
  while (isWord(cursor.at())) cursor.pos++
  if (cursor.at() === BANG) cursor.pos++
  return cursor.text.slice(from, cursor.pos)
}

/**
 * The rest of a tag, decoded, behind `head`, the handle's first part. Throws YamlError for an empty one, and for
 * escapes that are no UTF-8.
 */
export const scanUri = (cursor: Cursor, head: string, start: Mark): string => {
  let uri = head.slice(1)
  const from = cursor.pos
  while (isWord(cursor.at()) || URI_PUNCTUATION.includes(cursor.text[cursor.pos]!)) {
    if (cursor.text[cursor.pos] === '%') uri += scanEscapedOctets(cursor, start)
    else uri += cursor.text[cursor.pos++]
  }
  if (cursor.pos === from && head === '') throw cursor.fault('did not find expected tag URI', start)
  return uri
}

const scanEscapedOctets = (cursor: Cursor, start: Mark): string => {
  const octets: number[] = []
  let length = 1
  while (octets.length < length) {
    const [high, low] = [hexValue(cursor.at(1)), hexValue(cursor.at(2))]
    if (cursor.text[cursor.pos] !== '%' || high < 0 || low < 0)
      throw cursor.fault('did not find URI escaped octet', start)
    const octet = high * 16 + low
    if (octets.length === 0) length = lengthOf(octet)
    else if ((octet & 0xc0) !== 0x80) throw cursor.fault('found an incorrect trailing UTF-8 octet', start)
    if (length === 0) throw cursor.fault('found an incorrect leading UTF-8 octet', start)
    octets.push(octet)
    cursor.pos += 3
  }
  return new TextDecoder().decode(Uint8Array.from(octets))
}

/** The length of a character in UTF-8 bytes, from its first byte; 0 if that is invalid. */
const lengthOf = (octet: number): number => {
  if (octet < 0x80) return 1
  return octet < 0xc0 ? 0 : octet < 0xe0 ? 2 : octet < 0xf0 ? 3 : octet < 0xf8 ? 4 : 0
}
