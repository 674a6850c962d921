export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH'

/**
 * How a caller uses HTTP, declared next to its client. Rules that hold for all are not options: no redirect from https
 * to http, an `authorization` goes to the origin that it was given for only, and every body is read up to a limit.
 */
export interface HttpPolicy {
  /** The `user-agent` of requests; absent = none. */
  readonly userAgent?: string
  /** Retries a GET or HEAD once if a kept connection turns out to be closed, or after status 500, 502, 503 or 504. */
  readonly retries: boolean
  /** Absent = redirects are returned like any other response. */
  readonly redirects?: RedirectPolicy
  /** Sends the user and password of a URL, including those of a redirect's URL, to its server. Absent = they are never sent. */
  readonly sendsUserInfo?: true
}

export interface RedirectPolicy {
  /** The methods that follow redirects. */
  readonly methods: readonly HttpMethod[]
  readonly max: number
  /** Absent = any http or https address. */
  readonly allows?: (to: URL, from: URL) => boolean
}

/** For downloads from servers that keep content elsewhere, such as registries and object stores. */
export const downloadPolicy: HttpPolicy = {
  userAgent: 'keelson',
  retries: true,
  redirects: { methods: ['GET', 'HEAD'], max: 5 },
}
