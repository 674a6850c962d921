import { decodeJwt } from 'jose'

/** What a login yields, and what is kept of it. */
export interface Tokens {
  /** What the hub gets to see. */
  readonly idToken: string
  /** For a new one, without the person. */
  readonly refreshToken?: string | undefined
}

/** When the ID token expires, in milliseconds since the epoch. */
export const expiryOf = ({ idToken }: Tokens): number => (decodeJwt(idToken).exp ?? 0) * 1000

/** Left of a token's life when it is no longer handed out: a request should still arrive in time. */
const marginMs = 10_000

export const isFresh = (tokens: Tokens, now: number): boolean => expiryOf(tokens) - marginMs > now
