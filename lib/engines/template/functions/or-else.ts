/** What an attempt gives, or something else where it fails. */
export const orElse = <T>(attempt: () => T, fallback: T): T => {
  try {
    return attempt()
  } catch {
    return fallback
  }
}
