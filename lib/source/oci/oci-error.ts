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

/** What went wrong with a registry, in the words of go-containerregistry. The message holds no credentials. */
export class OciError extends Error {
  readonly code: OciErrorCode
  /** Milliseconds that the registry wants us to wait. */
  readonly retryAfterMs?: number
  constructor(
    code: OciErrorCode,
    message: string,
    { cause, retryAfterMs }: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
  ) {
    super(message, { cause })
    this.name = 'OciError'
    this.code = code
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}
