/** An AWS access key. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** Milliseconds since the epoch; absent if the key does not expire. */
  readonly expiresAt?: number
}

/** Called before each use: returns cached credentials until shortly before they expire. Fails with CloudError. */
export type AwsIdentity = (signal?: AbortSignal) => Promise<AwsCredentials>
