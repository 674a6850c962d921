export type GitErrorCode =
  /** DNS, connection, TLS, or timeout: no response from the server. */
  | 'unreachable'
  | 'unauthorized'
  /** The credentials can't be read; nothing was sent to the server. */
  | 'invalidCredentials'
  | 'forbidden'
  /** The server reports no such repository; it may also hide one. */
  | 'repositoryNotFound'
  /** No such branch, tag, name or commit. */
  | 'referenceNotFound'
  | 'emptyRepository'
  /** The response violates git's protocol. */
  | 'protocol'
  /** The server refused with an error of git's protocol. */
  | 'refused'
  /** A reference to update has changed in the meantime. */
  | 'conflict'
  /** A pack or object is malformed. */
  | 'corrupt'
  /** Exceeds a limit. */
  | 'tooLarge'
  | 'unsupported'

/**
 * A repository can't be read. The message contains no credentials: it shows addresses as in the spec, without user
 * info.
 */
export class GitError extends Error {
  readonly code: GitErrorCode
  constructor(code: GitErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'GitError'
    this.code = code
  }
}

/** An object or pack that git could not read either. The message names the object, never its content. */
export const corrupt = (message: string, cause?: unknown): GitError => new GitError('corrupt', message, { cause })
/** A repository that exceeds a limit of the hub, which the message names. */
export const tooLarge = (message: string): GitError => new GitError('tooLarge', message)
