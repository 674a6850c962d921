import type { AccessToken } from '../access-token.ts'
import type { TokenDestination } from '../token-destination.ts'

/** Called before each use with the server that receives the token, which is cached until shortly before it expires. Fails with CloudError. */
export type GcpIdentity = (destination: TokenDestination, signal?: AbortSignal) => Promise<AccessToken>

export const cloudPlatformScope = 'https://www.googleapis.com/auth/cloud-platform'
