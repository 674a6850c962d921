/** Text as Go's package time has it in messages: all but printable ASCII by its bytes. */
export const quoteBytes = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/[^ -\x7f]/gu, c => Buffer.from(c).toString('hex').replace(/../g, '\\x$&'))}"`
