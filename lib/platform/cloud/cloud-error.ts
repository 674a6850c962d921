/** The cloud services that are asked for credentials, tokens or keys. */
export type CloudService = 'AWS' | 'Azure' | 'GCP' | 'Vault'

interface CloudFailure {
  /** HTTP status of the answer, when there was one. */
  readonly status?: number
  /** The service's own name for what went wrong (`AccessDeniedException`, `invalid_client`). */
  readonly code?: string
  readonly cause?: unknown
}

/**
 * A cloud service refused, could not be reached, or credentials for it are incomplete. The message names the service and
 * what was asked of it; never a credential.
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
