const SPACE = /[ \t\r\n]/

export interface RightDelimiter {
  /** Including its trim marker. */
  readonly length: number
  /** Whether it trims leading spaces from the text after it. */
  readonly trims: boolean
}

/** The right delimiter at this position, with or without a trim marker (` -`) before it. */
export const rightDelimiterAt = (text: string, at: number, right: string): RightDelimiter | undefined => {
  const hasMarker = SPACE.test(text.charAt(at)) && text[at + 1] === '-'
  if (hasMarker && text.startsWith(right, at + 2)) return { length: right.length + 2, trims: true }
  return text.startsWith(right, at) ? { length: right.length, trims: false } : undefined
}

/** Whether a trim marker (`- `) follows a left delimiter that ends here. */
export const trimsLeftAt = (text: string, at: number): boolean => text[at] === '-' && SPACE.test(text.charAt(at + 1))
