import type { AccessToken } from '../access-token.ts'
import type { TokenDestination } from '../token-destination.ts'

export interface AzureTokenRequest {
  /** The API that the token is for, without `/.default`: `https://vault.azure.net`. */
  readonly resource: string
  /** Where it will be sent. */
  readonly destination: TokenDestination
  readonly signal?: AbortSignal
}

/** Asked before each use: tokens are kept per resource until shortly before they expire. Fails with CloudError. */
export type AzureIdentity = (request: AzureTokenRequest) => Promise<AccessToken>
