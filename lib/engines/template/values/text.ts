import { compareBytes } from '../../../foundations/go/compare-text.ts'

/** Go counts text in bytes of UTF-8; JavaScript in UTF-16 units. Plain ASCII, the usual case, is the same in both. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
const ASCII = /^[\x00-\x7f]*$/

export const byteLength = (text: string): number => Buffer.byteLength(text)

/** text[start:end]; a cut through a character leaves replacement characters where Go leaves loose bytes. */
export const byteSlice = (text: string, start: number, end: number): string =>
  ASCII.test(text) ? text.slice(start, end) : Buffer.from(text).subarray(start, end).toString('utf8')

export const sortedKeys = (map: ReadonlyMap<string, unknown>): string[] => [...map.keys()].sort(compareBytes)
