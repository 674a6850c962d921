import type { Certificate } from '../x509/certificate.ts'

/** Which certificate to check, and for what time. */
export interface StatusQuery {
  readonly certificate: Certificate
  readonly issuer: Certificate
  readonly now: Date
  /** A trusted signing time, if any: later revocations are then ignored. */
  readonly signedAt: Date | undefined
}

export type RevocationStatus = 'good' | 'revoked'
