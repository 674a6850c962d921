export type OciErrorCode =
  /** DNS, connection, TLS, or timeout: no response from the registry. */
  | 'unreachable'
  | 'unauthorized'
  | 'notFound'
  /** The registry limits the rate of requests. */
  | 'tooManyRequests'
  /** The registry refused for another reason. */
  | 'refused'
  /** The response violates the distribution specification. */
  | 'protocol'
  /** The content does not match its digest. */
  | 'corrupt'
  /** Exceeds a limit. */
  | 'tooLarge'

/** An error response of a registry. */
export interface ErrorResponse {
  readonly method: string
  /** Without the query. */
  readonly address: string
  readonly status: number
  /** The errors in the body, in the format of the distribution specification. */
  readonly errors: readonly { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown }[]
  /** It requires a user and password. */
  readonly wantsBasic: boolean
}

/** An error of a registry, in go-containerregistry's wording. The message contains no credentials. */
export class OciError extends Error {
  readonly code: OciErrorCode
  /** Milliseconds to wait, as requested by the registry. */
  readonly retryAfterMs?: number
  readonly response?: ErrorResponse
  constructor(
    code: OciErrorCode,
    message: string,
    { cause, retryAfterMs, refusal }: { cause?: unknown; retryAfterMs?: number; refusal?: ErrorResponse } = {},
  ) {
    super(message, { cause })
    this.name = 'OciError'
    this.code = code
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
    if (refusal) this.response = refusal
  }
}
