/** What OpenPGP is needed for. A port, since its library is as large as many a function, and reads what strangers wrote. */
export interface OpenPgp {
  /**
   * The ID of the OpenPGP key, in one of these armored rings, that a detached signature was made with. Fails when there is
   * none, in Flux's words.
   */
  verify(payload: Uint8Array, signature: string, keyRings: readonly string[]): Promise<string>
  /** Fails unless an armored text holds private keys, none of them with a passphrase; without a word of what it holds. */
  checkPrivateKeys(armored: string): Promise<void>
  /** What was encrypted for one of the private keys in these texts. Fails when none fits. */
  decrypt(armored: string, privateKeys: readonly string[]): Promise<Uint8Array>
}

/** The same as a message, for who has it done by somebody else. */
export type OpenPgpRequest =
  | {
      readonly operation: 'verify'
      /** In base64. */
      readonly payload: string
      readonly signature: string
      readonly keyRings: readonly string[]
    }
  | { readonly operation: 'checkPrivateKeys'; readonly armored: string }
  | { readonly operation: 'decrypt'; readonly armored: string; readonly privateKeys: readonly string[] }
