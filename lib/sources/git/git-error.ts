export type GitErrorCode =
  /** DNS, connection, TLS, or a time limit: the server did not answer. */
  | 'unreachable'
  | 'unauthorized'
  /** What is to prove who asks can't be read: the server was not spoken to. */
  | 'badCredentials'
  | 'forbidden'
  /** No such repository, as far as the server says. */
  | 'repositoryNotFound'
  /** No such branch, tag, name or commit. */
  | 'referenceNotFound'
  | 'emptyRepository'
  /** The server answered with something that git's protocol does not know. */
  | 'protocol'
  /** The server refused in git's protocol, for a reason of its own. */
  | 'refused'
  /** A pack or object is not what it should be. */
  | 'corrupt'
  /** Larger than the limits allow. */
  | 'tooLarge'
  | 'unsupported'

/** Why a repository could not be read. The message names no credentials: addresses appear as in the spec, without user info. */
export class GitError extends Error {
  readonly code: GitErrorCode
  constructor(code: GitErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'GitError'
    this.code = code
  }
}

export const corrupt = (message: string, cause?: unknown): GitError => new GitError('corrupt', message, { cause })
export const tooLarge = (message: string): GitError => new GitError('tooLarge', message)
