import { bytesOf, textOf } from '../values/text.ts'

const LINE_ENDS = new Set([10, 13])
const PADDING = 61

const isDigit = (byte: number): boolean =>
  (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57) || byte === 43 || byte === 47

/** Decodes base64. Throws on invalid input, with the position that Go reports. */
export const base64Bytes = (text: string): Buffer => {
  const spoiled = spoiledAt(bytesOf(text))
  if (spoiled !== undefined) throw new Error(`illegal base64 data at input byte ${spoiled}`)
  return Buffer.from(text, 'base64')
}

/** The same as text; returns the error message on invalid input. */
export const decodeBase64 = (text: string): string => {
  try {
    return textOf(base64Bytes(text))
  } catch (error) {
    return (error as Error).message
  }
}

const spoiledAt = (bytes: Buffer): number | undefined => {
  let at = 0
  const skipLineEnds = () => {
    while (LINE_ENDS.has(bytes[at]!)) at++
  }
  for (;;) {
    let digits = 0
    while (digits < 4) {
      skipLineEnds()
      if (at === bytes.length) return digits === 0 ? undefined : at - digits
      const byte = bytes[at++]!
      if (isDigit(byte)) digits++
      else if (byte === PADDING && digits >= 2) return spoiledAfterPadding(bytes, at, digits)
      else return at - 1
    }
  }
}

/** After two digits, a second padding character must follow, and then nothing. */
const spoiledAfterPadding = (bytes: Buffer, after: number, digits: number): number | undefined => {
  let at = after
  const skipLineEnds = () => {
    while (LINE_ENDS.has(bytes[at]!)) at++
  }
  if (digits === 2) {
    skipLineEnds()
    if (at === bytes.length) return bytes.length
    if (bytes[at] !== PADDING) return at - 1
    at++
  }
  skipLineEnds()
  return at < bytes.length ? at : undefined
}
