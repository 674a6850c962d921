import { constants, verify } from 'node:crypto'
import { NotVerified } from '../not-verified.ts'
import { type Certificate, readCertificate } from '../x509/certificate.ts'

/** A notation signature, verified against the key of its first certificate. */
export interface Envelope {
  readonly payload: Uint8Array
  readonly contentType: string
  readonly scheme: 'notary.x509' | 'notary.x509.signingAuthority'
  readonly signingTime: Date
  readonly expiry: Date | undefined
  /** From the signer's to the root's. */
  readonly chain: readonly Certificate[]
  /** The plugin that must verify it; undefined for none. */
  readonly plugin: unknown
  /** Critical attributes, which only a plugin could handle. */
  readonly criticalExtensions: readonly string[]
  /** The signature bytes, which a timestamp covers. */
  readonly signature: Uint8Array
  /** A token of a time-stamping authority, not verified yet. */
  readonly timestamp: Uint8Array | undefined
}

export const pluginAttribute = 'io.cncf.notary.verificationPlugin'

export type Algorithm = 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512'

const MAX_CERTIFICATES = 20

/**
 * The certificates of a signature, that of the signer first; they are not verified yet. Throws NotVerified if there is
 * none, more than 20, or a malformed one.
 */
export const readChain = (certificates: readonly unknown[]): readonly Certificate[] => {
  if (certificates.length === 0) throw new NotVerified('certificate chain is not present')
  if (certificates.length > MAX_CERTIFICATES) throw new NotVerified('certificate chain is too long')
  return certificates.map(der => {
    try {
      if (!(der instanceof Uint8Array)) throw new Error('it is not a byte string')
      return readCertificate(der)
    } catch (cause) {
      throw new NotVerified('malformed certificate in the chain', cause)
    }
  })
}

/** The algorithm that notation uses with a key. */
const algorithmOf = ({ publicKey }: Pick<Certificate, 'publicKey'>): Algorithm => {
  const { modulusLength = 0, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {}
  const found =
    publicKey.asymmetricKeyType === 'rsa'
      ? ({ 2048: 'PS256', 3072: 'PS384', 4096: 'PS512' } as const)[modulusLength]
      : publicKey.asymmetricKeyType === 'ec'
        ? ({ prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' } as const)[namedCurve]
        : undefined
  if (!found) throw new NotVerified('the key of the signing certificate is not supported')
  return found
}

/** Requires that a certificate's key made the signature, with the algorithm that belongs to the key. */
export const requireSignature = (
  signer: Certificate,
  algorithm: unknown,
  signed: Uint8Array,
  signature: Uint8Array,
): void => {
  const expected = algorithmOf(signer)
  if (algorithm !== expected) {
    throw new NotVerified(
      `mismatch between signature algorithm derived from signing certificate (${expected}) and signing algorithm specified`,
    )
  }
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  const form = expected.startsWith('PS') ? padding : { dsaEncoding: 'ieee-p1363' as const }
  const isRight = verify(`sha${expected.slice(2)}`, signed, { key: signer.publicKey, ...form }, signature)
  if (!isRight) throw new NotVerified('signature is invalid: it was not made by the key of its certificate')
}
