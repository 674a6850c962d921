/** What V8 says of a bug in the program: it helps nobody but those who can read the program. */
const internal =
  /^Cannot (read|set|destructure|convert|access)|is not (a function|iterable|defined|a constructor)|undefined|null/

/** What is said of anything that was thrown. Of a bug, only that it is one: the log has the rest. */
export const errorMessage = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  const isBug = (thrown instanceof TypeError || thrown instanceof ReferenceError) && internal.test(thrown.message)
  return isBug ? 'internal error: this is a bug in Keelson, and the log of the hub says where' : thrown.message
}
