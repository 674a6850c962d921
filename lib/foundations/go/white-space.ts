/** White space as Go has it: U+0085 is some, unlike for JavaScript, and the byte order mark is none. */

export const trimSpaceLeft = (text: string): string => text.replace(/^\p{White_Space}+/u, '')

/** What stands before the white space is looked at first: it would be walked through from each of its characters. */
export const trimSpace = (text: string): string =>
  trimSpaceLeft(text).replace(/(?<!\p{White_Space})\p{White_Space}+$/u, '')
