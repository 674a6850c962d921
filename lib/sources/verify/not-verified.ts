/** No trusted signature was found, or it can't be determined. The message names the problem. */
export class NotVerified extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NotVerified'
  }
}

/** The trusted key is not a public key. */
export class InvalidPublicKey extends NotVerified {}
