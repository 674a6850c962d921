import { type Descriptor, isIndex } from '../../oci/manifest.ts'
import type { OciRepositoryReader } from '../../oci/read-repository.ts'
import { NotVerified } from '../not-verified.ts'
import type { Revocation } from '../revocation/revocation.ts'
import { type Certificate, readCertificate } from '../x509/certificate.ts'
import { readCose } from './cose.ts'
import type { Envelope } from './envelope.ts'
import { readJws } from './jws.ts'
import { findTrustPolicy } from './trust-policy.ts'
import { verifyEnvelope } from './verify-envelope.ts'

export interface NotationPolicy {
  /** `trustpolicy.json`. */
  readonly document: Uint8Array
  /** PEM or DER; only the first certificate of a file is used, as in Flux. */
  readonly certificates: readonly Uint8Array[]
}

export interface SignedArtifact {
  readonly digest: string
  /** `<host>/<path>`. */
  readonly repository: string
}

type Reader = Pick<OciRepositoryReader, 'referrers' | 'manifest' | 'blob'>

const signatureType = 'application/vnd.cncf.notary.signature'
const openers: ReadonlyMap<string, (content: Uint8Array) => Envelope> = new Map([
  ['application/jose+json', readJws],
  ['application/cose', readCose],
])
/** Flux's limit. */
const MAX_SIGNATURES = 3
const MAX_BYTES = 4 << 20

/**
 * Requires a signature that the trust policy accepts. Returns false if the policy skips verification, or only logs that
 * the signer is not trusted. Fails with NotVerified or OciError.
 */
export const requireNotation = async (
  reader: Reader,
  artifact: SignedArtifact,
  { document, certificates }: NotationPolicy,
  { now, revocation }: { readonly now: Date; readonly revocation: Revocation },
): Promise<boolean> => {
  const policy = findTrustPolicy(document, artifact.repository)
  if (!policy.enforcement) return false
  const trusted = certificates.map(readTrusted)
  const signatures = (await reader.referrers(artifact.digest, signatureType)).slice(0, MAX_SIGNATURES)
  if (signatures.length === 0) {
    const name = `${artifact.repository}@${artifact.digest}`
    throw new NotVerified(`no signature is associated with "${name}", make sure the artifact was signed successfully`)
  }
  const { content, manifest } = await reader.manifest(artifact.digest)
  const subject = { mediaType: manifest.mediaType, digest: artifact.digest, size: content.length }
  const problems: string[] = []
  for (const { digest } of signatures) {
    try {
      const envelope = await fetchEnvelope(reader, digest)
      const isTrusted = await verifyEnvelope(envelope, {
        policy,
        enforcement: policy.enforcement,
        trusted,
        now,
        revocation,
      })
      requireSubject(envelope, subject)
      return isTrusted
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error
      problems.push(`failed to verify signature with digest ${digest}, ${error.message}`)
    }
  }
  throw new NotVerified(['signature verification failed', ...problems].join('\n'))
}

const readTrusted = (bytes: Uint8Array): Certificate => {
  try {
    return readCertificate(bytes)
  } catch (cause) {
    throw new NotVerified('failed to parse a trusted certificate', cause)
  }
}

const fetchEnvelope = async (reader: Reader, digest: string): Promise<Envelope> => {
  const { manifest } = await reader.manifest(digest)
  const [blob, ...others] = isIndex(manifest) ? [] : manifest.layers
  const open = blob && openers.get(blob.mediaType)
  if (!blob || !open || others.length > 0)
    throw new NotVerified('its manifest must have exactly one signature envelope')
  return open(await reader.blob(blob, MAX_BYTES))
}

const requireSubject = ({ payload }: Envelope, { mediaType, digest, size }: Descriptor): void => {
  const { targetArtifact: target } = parse(payload) as {
    readonly targetArtifact?: Partial<Record<keyof Descriptor, unknown>>
  }
  if (target?.digest !== digest || target.size !== size || target.mediaType !== mediaType)
    throw new NotVerified('content descriptor mismatch')
}

const parse = (payload: Uint8Array): object => {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // handled below
  }
  throw new NotVerified('the signed payload is not a JSON object')
}
