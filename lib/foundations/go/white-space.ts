/** White space as defined by Go: U+0085 counts, unlike in JavaScript, and the byte order mark does not. */

/** strings.TrimLeftFunc with unicode.IsSpace. */
export const trimSpaceLeft = (text: string): string => text.replace(/^\p{White_Space}+/u, '')

/** Matches the preceding character first: a pattern for white space alone would restart at each of its characters. */
export const trimSpace = (text: string): string =>
  trimSpaceLeft(text).replace(/(?<!\p{White_Space})\p{White_Space}+$/u, '')
