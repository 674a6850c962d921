/** Secret data that lives outside of the hub, for Secrets that only refer to it. */
export interface SecretSource {
  /**
   * The values by key, as they were some minutes ago at most. A namespace has a place of its own there, and sees no other's.
   * Fails with an Error that names the secret and says what to do; never with a value.
   */
  read(namespace: string, name: string): Promise<ReadonlyMap<string, Uint8Array>>
}
