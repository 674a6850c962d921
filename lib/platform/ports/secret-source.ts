/** Secret data stored outside the hub, for Secrets that only refer to it. */
export interface SecretSource {
  /**
   * The values by key, at most some minutes old. Each namespace has its own place in the source and can't read another's. Fails with an Error that
   * names the secret and the remedy, never a value.
   */
  read(namespace: string, name: string): Promise<ReadonlyMap<string, Uint8Array>>
}
