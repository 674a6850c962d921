/** Keys of an AWS identity. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** Milliseconds since the epoch; absent for keys that don't expire. */
  readonly expiresAt?: number
}

/** Asked before each use: it returns what it holds until shortly before that expires. Fails with CloudError. */
export type AwsIdentity = (signal?: AbortSignal) => Promise<AwsCredentials>
