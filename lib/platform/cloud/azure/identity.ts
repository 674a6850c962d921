import type { AccessToken } from '../access-token.ts'
import type { TokenDestination } from '../token-destination.ts'

export interface AzureTokenRequest {
  /** The API that the token is for, without `/.default`: `https://vault.azure.net`. */
  readonly resource: string
  /** The server that receives the token. */
  readonly destination: TokenDestination
  readonly signal?: AbortSignal
}

/** Called before each use: tokens are cached per resource until shortly before they expire. Fails with CloudError. */
export type AzureIdentity = (request: AzureTokenRequest) => Promise<AccessToken>
