import { Hash } from '@smithy/core/serde'

export { SignatureV4 } from '@smithy/signature-v4'

/** Node's SHA-256, or its HMAC with a secret. */
export class Sha256 extends Hash {
  constructor(secret?: ConstructorParameters<typeof Hash>[1]) {
    super('sha256', secret)
  }
}
