/** Authenticates requests to a cloud's APIs, as `Authorization: Bearer`. */
export interface AccessToken {
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}
