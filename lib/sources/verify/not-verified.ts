/** Nobody who is trusted has signed the artifact, or it can't be told who has. The message says what was missing. */
export class NotVerified extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NotVerified'
  }
}

/** What is trusted is no key: whatever was signed, it can't be told by whom. */
export class BadPublicKey extends NotVerified {}
