/**
 * Envelope encryption: a data key per sealing (cached within bounds), itself encrypted by the platform's master key.
 * The context (what the data belongs to) is authenticated: sealed data moved to another place does not open there.
 */
export interface Keys {
  /** The result names its own data key, so that rotating the master key leaves old data readable. */
  seal(plain: Uint8Array, context: string): Promise<Uint8Array>
  /**
   * Fails with SealBroken on tampered data, another context or an unknown key, and with KeysUnavailable when the platform
   * can't be asked for the key: then it is worth another try.
   */
  open(sealed: Uint8Array, context: string): Promise<Uint8Array>
}

export class UnsealFailed extends Error {
  constructor(context: string, cause?: unknown) {
    super(`sealed data of ${context} does not open: it was altered, moved, or sealed with another key`, { cause })
    this.name = 'SealBroken'
  }
}

export class KeysUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KeysUnavailable'
  }
}
