import type { Certificate } from '../x509/certificate.ts'

/** Whether a certificate was revoked. */
export interface StatusQuery {
  readonly certificate: Certificate
  readonly issuer: Certificate
  readonly now: Date
  /** When it signed, if somebody who is trusted says so: then it counts what was known to be wrong by then. */
  readonly signedAt: Date | undefined
}

export type RevocationStatus = 'good' | 'revoked'
