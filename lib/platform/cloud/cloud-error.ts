/** The services that issue credentials and tokens, or decrypt keys. */
export type CloudService = 'AWS' | 'Azure' | 'GCP' | 'Vault'

interface CloudFailure {
  /** HTTP status, if there was a response. */
  readonly status?: number
  /** The service's own error code (`AccessDeniedException`, `invalid_client`). */
  readonly code?: string
  readonly cause?: unknown
}

/**
 * A cloud service denied a request or was unreachable, or credentials for it are incomplete. The message names the service and the request, never a
 * credential.
 */
export class CloudError extends Error {
  readonly service: CloudService
  readonly status: number | undefined
  readonly code: string | undefined

  constructor(service: CloudService, message: string, { status, code, cause }: CloudFailure = {}) {
    super(`${service}: ${message}`, { cause })
    this.name = 'CloudError'
    this.service = service
    this.status = status
    this.code = code
  }
}
