import type { AccessToken } from '../access-token.ts'
import type { TokenDestination } from '../token-destination.ts'

/** Asked before each use, with where the token will be sent: it is kept until shortly before it expires. Fails with CloudError. */
export type GcpIdentity = (destination: TokenDestination, signal?: AbortSignal) => Promise<AccessToken>

export const cloudPlatformScope = 'https://www.googleapis.com/auth/cloud-platform'
