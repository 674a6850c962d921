/** Character classes of YAML, for UTF-16 code units. The scanner pads its text with NULs, so lookahead is always safe. */

export const TAB = 9
export const LF = 10
export const CR = 13
export const SPACE = 32

export const isBreak = (c: number): boolean => c === LF || c === CR || c === 0x85 || c === 0x2028 || c === 0x2029
export const hasBreak = (text: string): boolean => /[\n\r\x85\u2028\u2029]/.test(text)
export const isBlank = (c: number): boolean => c === SPACE || c === TAB
export const isBreakOrEnd = (c: number): boolean => c === 0 || isBreak(c)
export const isBlankOrEnd = (c: number): boolean => c === SPACE || c === TAB || c === 0 || isBreak(c)

export const isDigit = (c: number): boolean => c >= 48 && c <= 57

/** Characters of anchors and tag handles: letters, digits, `_`, `-`. */
export const isWord = (c: number): boolean =>
  isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || c === 45

/** 0 to 15, or -1 for other characters. */
export const hexValue = (c: number): number => {
  if (isDigit(c)) return c - 48
  if (c >= 65 && c <= 70) return c - 55
  if (c >= 97 && c <= 102) return c - 87
  return -1
}
