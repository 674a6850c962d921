export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH'

/**
 * How a room speaks HTTP, declared beside its client. What holds for all of them is not here: no redirect leads from https to
 * http, an `authorization` leaves for the origin it was given for only, and each body is read up to a limit.
 */
export interface HttpPolicy {
  /** How requests introduce themselves; absent = not at all. */
  readonly userAgent?: string
  /** Sends a GET or HEAD once more when a kept connection turns out to be closed, or after a status of 500, 502, 503 or 504. */
  readonly retries: boolean
  /** Absent = a redirect is an answer like any other. */
  readonly redirects?: RedirectPolicy
  /** The user and password of an address go to its server, those of a redirect's address too. Without it they stay here. */
  readonly sendsUserInfo?: true
}

export interface RedirectPolicy {
  /** The methods that follow; for others a redirect is an answer. */
  readonly methods: readonly HttpMethod[]
  readonly max: number
  /** Absent = any http or https address. */
  readonly allows?: (to: URL, from: URL) => boolean
}

/** For what is downloaded from servers that keep content elsewhere, as registries and object stores do. */
export const downloadPolicy: HttpPolicy = {
  userAgent: 'keelson',
  retries: true,
  redirects: { methods: ['GET', 'HEAD'], max: 5 },
}
