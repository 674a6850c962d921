/** A text as Go's package time quotes it in messages: everything except printable ASCII is escaped by byte. */
export const quoteBytes = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/[^ -\x7f]/gu, c => Buffer.from(c).toString('hex').replace(/../g, '\\x$&'))}"`
