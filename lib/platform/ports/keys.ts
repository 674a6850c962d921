/** What sealed data is for. A process may be allowed to open one purpose's data and not another's. */
export type KeyPurpose = 'secrets' | 'receivers' | 'builds' | 'bodies' | 'signing-key' | 'receipts' | 'sessions'

/** Selects the data keys: keys of another scope can't open the data, and the platform may deny a process the scopes that it has no use for. */
export interface KeyScope {
  readonly purpose: KeyPurpose
  /** The namespace of the object, if it has one. */
  readonly namespace?: string
}

/**
 * Envelope encryption: data keys, cached within bounds, encrypt the data; the platform's master key encrypts them. The context (what the data
 * belongs to) is authenticated, so sealed data that was moved elsewhere does not open.
 */
export interface Keys {
  /** The result names its data key, so that rotating the master key leaves old data readable. */
  seal(plain: Uint8Array, context: string, scope: KeyScope): Promise<Uint8Array>
  /**
   * Fails with UnsealFailed on tampered data, another context, an unknown key or, on platforms that bind keys to scopes, another scope; with
   * KeysUnavailable, which is worth a retry, if the platform can't be reached for the key.
   */
  open(sealed: Uint8Array, context: string, scope: KeyScope): Promise<Uint8Array>
}

export class UnsealFailed extends Error {
  constructor(context: string, cause?: unknown) {
    super(`sealed data of ${context} does not open: it was altered, moved, or sealed with another key`, { cause })
    this.name = 'UnsealFailed'
  }
}

export class KeysUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KeysUnavailable'
  }
}
