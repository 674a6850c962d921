/** Go counts text in bytes of UTF-8; JavaScript in UTF-16 units. Plain ASCII, the usual case, is the same in both. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
const ASCII = /^[\x00-\x7f]*$/

export const byteLength = (text: string): number => Buffer.byteLength(text)

/** text[start:end]; a cut through a character leaves replacement characters where Go leaves loose bytes. */
export const byteSlice = (text: string, start: number, end: number): string =>
  ASCII.test(text) ? text.slice(start, end) : Buffer.from(text).subarray(start, end).toString('utf8')

/** Order by bytes of UTF-8, which is that of code points. */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    const [high, low] = [isSurrogate(x), isSurrogate(y)]
    return high === low ? x - y : high ? 1 : -1
  }
  return a.length - b.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

export const sortedKeys = (map: ReadonlyMap<string, unknown>): string[] => [...map.keys()].sort(compareText)
