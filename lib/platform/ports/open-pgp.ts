/** OpenPGP operations. A port, because the library is as large as many functions, and parses untrusted input. */
export interface OpenPgp {
  /** The ID of the OpenPGP key in these armored key rings that made a detached signature. Fails with Flux's message if there is none. */
  verify(payload: Uint8Array, signature: string, keyRings: readonly string[]): Promise<string>
  /** Fails unless an armored text holds private keys without passphrases. The error quotes none of the text. */
  checkPrivateKeys(armored: string): Promise<void>
  /** A detached signature, armored, with the only private key of an armored text. The errors quote nothing of it. */
  sign(payload: Uint8Array, privateKey: string, passphrase?: string): Promise<string>
  /** Decrypts with the first of the private keys in these texts that fits. Fails if none does. */
  decrypt(armored: string, privateKeys: readonly string[]): Promise<Uint8Array>
}

/** An operation as a message, for a process that delegates it. */
export type OpenPgpRequest =
  | {
      readonly operation: 'verify'
      /** In base64. */
      readonly payload: string
      readonly signature: string
      readonly keyRings: readonly string[]
    }
  | {
      readonly operation: 'sign'
      /** In base64. */
      readonly payload: string
      readonly privateKey: string
      /** Empty if there is none. */
      readonly passphrase: string
    }
  | { readonly operation: 'checkPrivateKeys'; readonly armored: string }
  | { readonly operation: 'decrypt'; readonly armored: string; readonly privateKeys: readonly string[] }
