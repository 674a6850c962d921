import { X509Certificate } from 'node:crypto'
import { isIndex } from '../../oci/manifest.ts'
import type { OciRepositoryReader } from '../../oci/read-repository.ts'
import { NotVerified } from '../not-verified.ts'
import { openCose } from './cose.ts'
import { isPartOf, oneLine, subjectOf } from './distinguished-name.ts'
import type { Envelope } from './envelope.ts'
import { openJws } from './jws.ts'
import { isRevocable, requireSigningChain } from './signing-chain.ts'
import { type Check, findTrustPolicy, subjectsIn, type TrustPolicy } from './trust-policy.ts'

export interface NotationPolicy {
  /** `trustpolicy.json`. */
  readonly document: Uint8Array
  /** PEM or DER; of a file with more than one the first counts, as in Flux. */
  readonly certificates: readonly Uint8Array[]
}

export interface SignedArtifact {
  readonly digest: string
  /** `<host>/<path>`. */
  readonly repository: string
}

type Reader = Pick<OciRepositoryReader, 'referrers' | 'manifest' | 'blob'>

const signatureType = 'application/vnd.cncf.notary.signature'
const payloadType = 'application/vnd.cncf.notary.payload.v1+json'
const openers: ReadonlyMap<string, (content: Uint8Array) => Envelope> = new Map([
  ['application/jose+json', openJws],
  ['application/cose', openCose],
])
/** As many as Flux looks at. */
const MOST_SIGNATURES = 3
const MOST_BYTES = 4 << 20

/**
 * Requires a signature that the trust policy accepts. False = the policy does not want to know, or only logs that the signer
 * is not trusted. Fails with NotVerified or OciError.
 */
export const requireNotation = async (
  reader: Reader,
  artifact: SignedArtifact,
  { document, certificates }: NotationPolicy,
  now: Date,
): Promise<boolean> => {
  const policy = findTrustPolicy(document, artifact.repository)
  if (!policy.enforcement) return false
  const trusted = certificates.map(readCertificate)
  const signatures = (await reader.referrers(artifact.digest, signatureType)).slice(0, MOST_SIGNATURES)
  if (signatures.length === 0) {
    const name = `${artifact.repository}@${artifact.digest}`
    throw new NotVerified(`no signature is associated with "${name}", make sure the artifact was signed successfully`)
  }
  const { content } = await reader.manifest(artifact.digest)
  const problems: string[] = []
  for (const { digest } of signatures) {
    try {
      const envelope = await fetchEnvelope(reader, digest)
      const isTrusted = judge(envelope, policy, trusted, now)
      requireSubject(envelope, artifact.digest, content.length)
      return isTrusted
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error
      problems.push(`failed to verify signature with digest ${digest}, ${error.message}`)
    }
  }
  throw new NotVerified(['signature verification failed', ...problems].join('\n'))
}

const readCertificate = (bytes: Uint8Array): X509Certificate => {
  try {
    return new X509Certificate(bytes)
  } catch (cause) {
    throw new NotVerified('failed to parse a trusted certificate', cause)
  }
}

const fetchEnvelope = async (reader: Reader, digest: string): Promise<Envelope> => {
  const { manifest } = await reader.manifest(digest)
  const [blob, ...others] = isIndex(manifest) ? [] : manifest.layers
  const open = blob && openers.get(blob.mediaType)
  if (!blob || !open || others.length > 0) throw new NotVerified('its manifest does not hold one signature envelope')
  return open(await reader.blob(blob, MOST_BYTES))
}

/** Goes through the checks of the policy; false when the signer is not trusted, and that is only to be logged. */
const judge = (envelope: Envelope, policy: TrustPolicy, trusted: readonly X509Certificate[], now: Date): boolean => {
  requireSound(envelope)
  const fails = (check: Check, work: () => void): boolean => {
    const action = policy.enforcement?.[check]
    if (action === 'skip') return false
    try {
      work()
      return false
    } catch (error) {
      if (!(error instanceof NotVerified) || action === 'enforce') throw error
      return true
    }
  }
  const isStranger = fails('authenticity', () => requireTrust(envelope, policy, trusted))
  fails('expiry', () => {
    if (envelope.expiry && envelope.expiry <= now) {
      throw new NotVerified(`digital signature has expired on "${envelope.expiry.toUTCString()}"`)
    }
  })
  fails('authenticTimestamp', () => requireTime(envelope, policy, now))
  fails('revocation', () => requireUnrevoked(envelope))
  return !isStranger
}

const requireSound = ({ chain, contentType, signingTime, expiry, criticalExtensions }: Envelope): void => {
  requireSigningChain(chain)
  if (contentType !== payloadType) throw new NotVerified(`payload content type "${contentType}" not supported`)
  if (expiry && expiry <= signingTime) throw new NotVerified('expiry cannot be equal or before the signing time')
  if (criticalExtensions.length > 0) {
    throw new NotVerified(`the signature needs a plugin for "${criticalExtensions[0]}", and there are none`)
  }
}

const requireTrust = (
  { chain }: Envelope,
  { name, trustedIdentities }: TrustPolicy,
  trusted: readonly X509Certificate[],
): void => {
  const isKnown = chain.some(certificate => trusted.some(({ raw }) => raw.equals(certificate.raw)))
  if (!isKnown) throw new NotVerified('the signature is not produced by a trusted signer')
  if (trustedIdentities.includes('*')) return
  const subject = subjectOf(chain[0]!)
  if (subjectsIn(trustedIdentities).some(identity => isPartOf(identity, subject))) return
  throw new NotVerified(
    `signing certificate from the digital signature does not match the X.509 trusted identities defined in the trust policy "${name}"`,
  )
}

/** The certificates were valid when the signer says so, if it may be believed, else they must be valid now. */
const requireTime = ({ chain, scheme, signingTime }: Envelope, policy: TrustPolicy, now: Date): void => {
  const isAuthority = scheme === 'notary.x509.signingAuthority'
  const at = isAuthority ? signingTime : now
  const wrong = chain.find(({ validFromDate, validToDate }) => at < validFromDate || at > validToDate)
  const wantsTimestamp = !isAuthority && policy.trustStores.some(store => store.startsWith('tsa:'))
  if (wantsTimestamp && (wrong || policy.verifyTimestamp === 'always')) {
    throw new NotVerified('timestamps of signatures can not be verified yet: set verifyTimestamp to "afterCertExpiry"')
  }
  if (!wrong) return
  const when = isAuthority ? 'when the digital signature was produced' : 'now'
  throw new NotVerified(
    `certificate "${oneLine(wrong.subject)}" is valid from "${wrong.validFrom}" to "${wrong.validTo}", not ${when}`,
  )
}

/** Nobody is asked yet: what could have been revoked is of unknown standing, which only a policy can make good. */
const requireUnrevoked = ({ chain }: Envelope): void => {
  const unknown = chain.slice(0, -1).find(isRevocable)
  if (!unknown) return
  throw new NotVerified(`signing certificate with subject "${oneLine(unknown.subject)}" revocation status is unknown`)
}

const requireSubject = ({ payload }: Envelope, digest: string, size: number): void => {
  const { targetArtifact } = parse(payload) as {
    readonly targetArtifact?: { readonly digest?: unknown; readonly size?: unknown }
  }
  if (targetArtifact?.digest !== digest || targetArtifact.size !== size)
    throw new NotVerified('content descriptor mismatch')
}

const parse = (payload: Uint8Array): object => {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // as below
  }
  throw new NotVerified('the signed payload is no JSON object')
}
