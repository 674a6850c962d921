/** V8's messages for bugs in the program: only useful to its developers. */
const internal =
  /^Cannot (read|set|destructure|convert|access)|is not (a function|iterable|defined|a constructor)|undefined|null/

/** The message of a thrown value. For a bug, a generic one: the log has the details. */
export const errorMessage = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  const isBug = (thrown instanceof TypeError || thrown instanceof ReferenceError) && internal.test(thrown.message)
  return isBug ? 'internal error: this is a bug in Keelson; see the log of the hub' : thrown.message
}
