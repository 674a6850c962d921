/**
 * Go's strings are UTF-8 bytes, JavaScript's are UTF-16 units; plain ASCII, the usual case, is the same in both. Go's strings may hold
 * invalid UTF-8, such as a compressed file on its way into a Secret. Here such bytes are lone surrogates, U+DC80 to U+DCFF, which occur in
 * no valid text: `textOf` and `bytesOf` convert both ways without loss.
 */
import { isUtf8 } from 'node:buffer'
import { compareBytes } from '../../../foundations/go/compare-text.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
const ASCII = /^[\x00-\x7f]*$/

const LOOSE = 0xdc00

/** Text of any bytes; `bytesOf` returns the same bytes again. */
export const textOf = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) return buffer.toString('utf8')
  const parts: string[] = []
  for (let at = 0; at < buffer.length; ) {
    const length = characterLength(buffer, at)
    parts.push(length === 0 ? String.fromCharCode(LOOSE + buffer[at]!) : buffer.toString('utf8', at, at + length))
    at += length || 1
  }
  return parts.join('')
}

/** The number of bytes of the character at a position; 0 for an invalid byte. */
const characterLength = (buffer: Buffer, at: number): number => {
  const first = buffer[at]!
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return at + length <= buffer.length && isUtf8(buffer.subarray(at, at + length)) ? length : 0
}

/** The inverse of `textOf`: UTF-8, with lone surrogates as the bytes that they represent. */
export const bytesOf = (text: string): Buffer => {
  if (text.isWellFormed()) return Buffer.from(text)
  const parts = text.split(/([\udc80-\udcff])/u)
  return Buffer.concat(
    parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) - LOOSE]))),
  )
}

/** len() of a string in Go: bytes, not characters. */
export const byteLength = (text: string): number =>
  text.isWellFormed() ? Buffer.byteLength(text) : bytesOf(text).length

/** text[start:end], which may cut through a character. */
export const byteSlice = (text: string, start: number, end: number): string =>
  ASCII.test(text) ? text.slice(start, end) : textOf(bytesOf(text).subarray(start, end))

/** The same bytes, with characters that come in parts as a whole. */
export const withWholeCharacters = (text: string): string => (text.isWellFormed() ? text : textOf(bytesOf(text)))

/** Compares by bytes, parts of characters among them. */
export const compareTexts = (a: string, b: string): number =>
  a.isWellFormed() && b.isWellFormed() ? compareBytes(a, b) : Buffer.compare(bytesOf(a), bytesOf(b))

/** Whether they are the same bytes: a character may come in parts. */
export const isSameText = (a: string, b: string): boolean => a === b || byBytes(a, b, (a, b) => a === b)

/** Compares two texts, or their bytes as characters if one of them has parts of characters. */
export const byBytes = (a: string, b: string, compare: (a: string, b: string) => boolean): boolean =>
  a.isWellFormed() && b.isWellFormed()
    ? compare(a, b)
    : compare(bytesOf(a).toString('latin1'), bytesOf(b).toString('latin1'))

/** Keys in the order of their bytes, in which Go ranges over and prints maps. */
export const sortedKeys = (map: ReadonlyMap<string, unknown>): string[] => [...map.keys()].sort(compareTexts)
