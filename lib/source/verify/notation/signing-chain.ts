import type { X509Certificate } from 'node:crypto'
import { X509Certificate as Extensions } from '@sigstore/core'
import { NotVerified } from '../not-verified.ts'
import { oneLine } from './distinguished-name.ts'

const KEY_USAGE = '2.5.29.15'
const CRL_POINTS = '2.5.29.31'
const AUTHORITY_ACCESS = '1.3.6.1.5.5.7.1.1'

/** For servers, clients, mail, time stamps and OCSP: not for signing. */
const foreignUses = [1, 2, 4, 8, 9].map(use => `1.3.6.1.5.5.7.3.${use}`)

/**
 * Requires a chain that may sign artifacts: each certificate issued by the next, up to a root that issued itself. Dates are
 * not looked at. Fails with NotVerified.
 */
export const requireSigningChain = (chain: readonly X509Certificate[]): void => {
  chain.forEach((certificate, index) => {
    const parent = chain[index + 1]
    requireIssuer(certificate, parent ?? certificate)
    if (parent && isIssuedBy(certificate, certificate)) throw bad(certificate, 'is self-signed, but not the last')
    if (index === 0) requireSigner(certificate)
    else requireAuthority(certificate, index - 1)
  })
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean => {
  try {
    return certificate.issuer === issuer.subject && certificate.verify(issuer.publicKey)
  } catch {
    return false // the algorithm is not for such a key
  }
}

const requireIssuer = (certificate: X509Certificate, issuer: X509Certificate): void => {
  if (!isIssuedBy(certificate, issuer)) throw bad(certificate, `is not issued by "${oneLine(issuer.subject)}"`)
}

const requireSigner = (certificate: X509Certificate): void => {
  const { extBasicConstraints } = extensionsOf(certificate)
  if (extBasicConstraints?.isCA) throw bad(certificate, 'is an authority, and may not sign artifacts')
  const [digitalSignature, , ...others] = usesOf(certificate) // the second, content commitment, is allowed
  if (!digitalSignature || others.some(Boolean)) {
    throw bad(certificate, 'the key usage must be "Digital Signature" only')
  }
  const foreign = certificate.keyUsage?.find(use => foreignUses.includes(use))
  if (foreign) throw bad(certificate, `extended key usage must not contain ${foreign}`)
}

const CERT_SIGN = 5

const requireAuthority = (certificate: X509Certificate, below: number): void => {
  const { extBasicConstraints } = extensionsOf(certificate)
  if (!extBasicConstraints?.isCA) throw bad(certificate, 'ca field in basic constraints must be set to true')
  const { pathLenConstraint } = extBasicConstraints
  if (pathLenConstraint !== undefined && pathLenConstraint < below)
    throw bad(certificate, 'the chain below it is too long')
  if (!usesOf(certificate)[CERT_SIGN]) throw bad(certificate, 'key usage must have the bit for key cert sign set')
}

/** Bits of the key usage, which must be there and critical. */
const usesOf = (certificate: X509Certificate): readonly boolean[] => {
  const extension = extensionsOf(certificate).extension(KEY_USAGE)
  if (!extension?.critical) throw bad(certificate, 'key usage extension must be present and marked critical')
  return extension.valueObj.subs[0]?.toBitString().map(bit => bit === 1) ?? []
}

/** Whether somebody keeps a list of whether it was revoked. */
export const isRevocable = (certificate: X509Certificate): boolean => {
  const extensions = extensionsOf(certificate)
  return [CRL_POINTS, AUTHORITY_ACCESS].some(oid => extensions.extension(oid) !== undefined)
}

const extensionsOf = (certificate: X509Certificate): Extensions => {
  try {
    return Extensions.parse(Buffer.from(certificate.raw))
  } catch (cause) {
    throw new NotVerified('malformed certificate in the chain', cause)
  }
}

const bad = ({ subject }: X509Certificate, why: string): NotVerified =>
  new NotVerified(`certificate-chain is invalid, certificate with subject "${oneLine(subject)}": ${why}`)
