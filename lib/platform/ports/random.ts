export interface Random {
  /** Cryptographically strong bytes. */
  bytes(count: number): Uint8Array
  /** Uniform in [0, 1), for jitter. */
  fraction(): number
  uuid(): string
}
