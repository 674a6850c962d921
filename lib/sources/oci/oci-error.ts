export type OciErrorCode =
  /** DNS, connection, TLS, or a time limit: the registry did not answer. */
  | 'unreachable'
  | 'unauthorized'
  | 'notFound'
  /** The registry wants to be left alone for a while. */
  | 'tooManyRequests'
  /** The registry refused, for another reason. */
  | 'refused'
  /** The answer is nothing that the distribution specification knows. */
  | 'protocol'
  /** The content is not what its digest says. */
  | 'corrupt'
  /** Larger than the limits allow. */
  | 'tooLarge'

/** What a registry has answered that is no success. */
export interface Refusal {
  readonly method: string
  /** Without its query. */
  readonly address: string
  readonly status: number
  /** The errors of the distribution specification that it tells. */
  readonly errors: readonly { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown }[]
  /** It wants a user and password. */
  readonly wantsBasic: boolean
}

/** What went wrong with a registry, in the words of go-containerregistry. The message holds no credentials. */
export class OciError extends Error {
  readonly code: OciErrorCode
  /** Milliseconds that the registry wants us to wait. */
  readonly retryAfterMs?: number
  readonly refusal?: Refusal
  constructor(
    code: OciErrorCode,
    message: string,
    { cause, retryAfterMs, refusal }: { cause?: unknown; retryAfterMs?: number; refusal?: Refusal } = {},
  ) {
    super(message, { cause })
    this.name = 'OciError'
    this.code = code
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
    if (refusal) this.refusal = refusal
  }
}
