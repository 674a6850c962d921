import type { AccessToken } from '../access-token.ts'

/** Asked before each use: the token is kept until shortly before it expires. Fails with CloudError. */
export type GcpIdentity = (signal?: AbortSignal) => Promise<AccessToken>

export const cloudPlatformScope = 'https://www.googleapis.com/auth/cloud-platform'
