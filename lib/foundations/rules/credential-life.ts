/** When a credential with a limited life should be replaced. */

export interface CredentialLife {
  /** Milliseconds since the epoch, if known. */
  readonly issued?: number
  readonly expires?: number
}

const week = 7 * 24 * 3_600_000

/**
 * Whether a credential expires soon: within a week, or in the last fifth of a shorter life, so that a token that lives
 * for an hour does not always count. A credential that does not expire never does.
 */
export const expiresSoon = ({ issued, expires }: CredentialLife, now: number): boolean => {
  if (expires === undefined) return false
  const life = issued === undefined ? Number.POSITIVE_INFINITY : expires - issued
  return expires - now <= Math.min(week, life / 5)
}
