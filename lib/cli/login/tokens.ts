import { decodeJwt } from 'jose'

/** The tokens of a login, as they are cached. */
export interface Tokens {
  /** The token that is sent to the hub. */
  readonly idToken: string
  /** For a new ID token without a login. */
  readonly refreshToken?: string | undefined
}

/** When the ID token expires, in milliseconds since the epoch. */
export const expiryOf = ({ idToken }: Tokens): number => (decodeJwt(idToken).exp ?? 0) * 1000

/** A token is no longer used this long before it expires, so that requests still arrive in time. */
const marginMs = 10_000

export const isFresh = (tokens: Tokens, now: number): boolean => expiryOf(tokens) - marginMs > now
