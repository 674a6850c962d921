/** The result of an attempt, or a fallback if it throws. */
export const orElse = <T>(attempt: () => T, fallback: T): T => {
  try {
    return attempt()
  } catch {
    return fallback
  }
}
