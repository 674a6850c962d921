/** What sealed data are for: who opens the ones need not be able to open the others. */
export type KeyPurpose = 'secrets' | 'receivers' | 'builds' | 'bodies' | 'signing-key'

/** Which data keys seal: those of another scope open nothing, and the platform may refuse a process the scopes that are none of its work. */
export interface KeyScope {
  readonly purpose: KeyPurpose
  /** Of the object, where it has one. */
  readonly namespace?: string
}

/**
 * Envelope encryption: a data key per sealing (cached within bounds), itself encrypted by the platform's master key.
 * The context (what the data belongs to) is authenticated: sealed data moved to another place does not open there.
 */
export interface Keys {
  /** The result names its own data key, so that rotating the master key leaves old data readable. */
  seal(plain: Uint8Array, context: string, scope: KeyScope): Promise<Uint8Array>
  /**
   * Fails with SealBroken on tampered data, another context, an unknown key or (on platforms that bind keys to scopes) another scope, and with KeysUnavailable when the platform
   * can't be asked for the key: then it is worth another try.
   */
  open(sealed: Uint8Array, context: string, scope: KeyScope): Promise<Uint8Array>
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
