import { NotVerified } from '../not-verified.ts'
import { authorityOf, type Certificate, isIssuedBy, keyUsageOf, purposes, purposesOf, usages } from './certificate.ts'
import { extensionIds } from './extensions.ts'

/** The use of a chain, as the Notary Project defines it. */
export type Purpose = 'code signing' | 'timestamping'

/**
 * Requires a chain for signing artifacts or timestamps: each certificate issued by the next, up to a self-signed root.
 * Does not check validity dates. Fails with NotVerified or InvalidDer.
 */
export const requireChain = (chain: readonly Certificate[], purpose: Purpose): void => {
  chain.forEach((certificate, index) => {
    const parent = chain[index + 1]
    requireIssuer(certificate, parent ?? certificate)
    if (parent && isIssuedBy(certificate, certificate)) throw bad(certificate, 'is self-signed, but not the last one')
    if (index === 0) requireSigner(certificate, purpose)
    else requireAuthority(certificate, index - 1, purpose)
  })
}

const requireIssuer = (certificate: Certificate, issuer: Certificate): void => {
  if (!isIssuedBy(certificate, issuer)) throw bad(certificate, `is not issued by "${issuer.name}"`)
}

/** Purposes that exclude signing artifacts. */
const { serverAuth, clientAuth, emailProtection, timeStamping, ocspSigning } = purposes
const foreign: readonly string[] = [serverAuth, clientAuth, emailProtection, timeStamping, ocspSigning]

const requireSigner = (certificate: Certificate, purpose: Purpose): void => {
  if (!isSupportedKey(certificate))
    throw bad(certificate, 'its key is not supported: RSA of 2048, 3072 or 4096 bits, or P-256, P-384, P-521')
  if (authorityOf(certificate)) throw bad(certificate, 'is an authority, and may not sign artifacts')
  const usage = usageOf(certificate, purpose)
  const { digitalSignature, contentCommitment } = usages
  const others = usage.filter((_, bit) => bit !== digitalSignature && bit !== contentCommitment)
  if (!usage[digitalSignature] || others.some(Boolean)) {
    throw bad(certificate, 'the key usage must be "Digital Signature" only')
  }
  const serves = purposesOf(certificate) ?? []
  if (purpose === 'timestamping') requireTimestamping(certificate, serves)
  const wrong = purpose === 'code signing' && serves.find(use => foreign.includes(use))
  if (wrong) throw bad(certificate, `extended key usage must not contain ${wrong}`)
}

const isSupportedKey = ({ publicKey: { asymmetricKeyType, asymmetricKeyDetails } }: Certificate): boolean => {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {}
  if (asymmetricKeyType === 'rsa') return [2048, 3072, 4096].includes(modulusLength)
  return asymmetricKeyType === 'ec' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve)
}

const requireTimestamping = (certificate: Certificate, serves: readonly string[]): void => {
  const isCritical = certificate.extensions.get(extensionIds.extendedKeyUsage)?.critical
  if (isCritical && serves.length === 1 && serves[0] === timeStamping) return
  throw bad(certificate, 'extended key usage must be critical, and Timestamping only')
}

const requireAuthority = (certificate: Certificate, below: number, purpose: Purpose): void => {
  const authority = authorityOf(certificate)
  if (!authority) throw bad(certificate, 'ca field in basic constraints must be set to true')
  const { pathLength } = authority
  if (pathLength !== undefined && pathLength < below) throw bad(certificate, 'the chain below it is too long')
  if (!usageOf(certificate, purpose)[usages.certSign]) {
    throw bad(certificate, 'key usage must have the bit for key cert sign set')
  }
}

/** Requires the key usage extension, and returns its bits. */
const usageOf = (certificate: Certificate, purpose: Purpose): readonly boolean[] => {
  const usage = keyUsageOf(certificate)
  const isRight = purpose === 'timestamping' || certificate.extensions.get(extensionIds.keyUsage)?.critical
  if (usage && isRight) return usage
  throw bad(certificate, 'key usage extension must be present and marked critical')
}

const bad = ({ name }: Certificate, why: string): NotVerified =>
  new NotVerified(`certificate-chain is invalid, certificate with subject "${name}": ${why}`)
