const SPACE = 32
const HYPHEN = 45

/** What Go's templates take for space: blanks, tabs and line breaks. */
export const isSpace = (code: number): boolean => code === SPACE || code === 10 || code === 9 || code === 13

export interface RightDelimiter {
  /** Including its trim marker. */
  readonly length: number
  /** Whether it trims leading spaces from the text after it. */
  readonly trims: boolean
}

/** The right delimiter at this position, with or without a trim marker (` -`) before it. */
export const rightDelimiterAt = (text: string, at: number, right: string): RightDelimiter | undefined => {
  const hasMarker = isSpace(text.charCodeAt(at)) && text.charCodeAt(at + 1) === HYPHEN
  if (hasMarker && text.startsWith(right, at + 2)) return { length: right.length + 2, trims: true }
  return text.startsWith(right, at) ? { length: right.length, trims: false } : undefined
}

/** Whether a trim marker (`- `) follows a left delimiter that ends here. */
export const trimsLeftAt = (text: string, at: number): boolean =>
  text.charCodeAt(at) === HYPHEN && isSpace(text.charCodeAt(at + 1))
