import { createHash, X509Certificate } from 'node:crypto'
import type { Bundle } from '@sigstore/bundle'
import type { Signer } from '@sigstore/verify'
import { RE2JS } from 're2js'
import type { OidcIdentity } from '../../foundations/kinds/source-fields.ts'
import { inToto } from '../../foundations/rules/dsse.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { AttachedSignature, Signatures } from './find-signatures.ts'
import { NotVerified } from './not-verified.ts'
import { isSimpleSigningOf, isStatementOf } from './signed-digest.ts'
import { purposes, purposesOf, readCertificate } from './x509/certificate.ts'

export interface KeylessPolicy {
  /** One of them must match; if empty, any certificate is accepted, as in Flux. */
  readonly identities: readonly OidcIdentity[]
  /** `trusted_root.json` of the trusted Sigstore services. */
  readonly trustedRoot: Uint8Array
}

interface Identity {
  readonly subject: string
  readonly issuer: string
}

interface VerifiedSignature {
  readonly identity: Identity
  /** The signed in-toto statement, if it is one. */
  readonly statement: Buffer | undefined
}

/** Verifies a bundle or an attached signature. Returns the signer and the signed content. */
type Verify = (bundle: unknown, artifact?: Buffer) => VerifiedSignature

/**
 * Requires a signature with a logged Fulcio certificate whose identity the policy accepts. Verifies against the trusted
 * root, offline. Fails with NotVerified, which describes the last signature's problem.
 */
export const requireKeyless = async (
  { bundles, attached }: Signatures,
  digest: string,
  policy: KeylessPolicy,
): Promise<void> => {
  const isAccepted = acceptedBy(policy.identities)
  const verify = await verifierOf(policy.trustedRoot)
  const candidates: (() => Identity)[] = [
    ...bundles.map(content => () => {
      const { identity, statement } = verify(JSON.parse(content.toString('utf8')))
      if (!statement || !isStatementOf(statement, digest)) throw new NotVerified('the bundle is for another artifact')
      return identity
    }),
    ...attached.map(signature => () => {
      if (!isSimpleSigningOf(signature.payload, digest)) throw new NotVerified('the signature is for another artifact')
      return verify(bundleOf(signature), signature.payload).identity
    }),
  ]
  let problem: unknown = new NotVerified('no signatures found')
  for (const candidate of candidates) {
    try {
      const identity = candidate()
      if (isAccepted(identity)) return
      throw new NotVerified(
        `none of the expected identities matched what was in the certificate, got subject '${identity.subject}' with issuer '${identity.issuer}'`,
      )
    } catch (error) {
      problem = error
    }
  }
  throw problem instanceof NotVerified ? problem : new NotVerified(errorMessage(problem), problem)
}

/** Regular expressions in Go's syntax, unanchored, as in cosign. Fails with NotVerified on an invalid one. */
const acceptedBy = (identities: readonly OidcIdentity[]): ((identity: Identity) => boolean) => {
  const compile = (pattern: string): RE2JS => {
    try {
      return RE2JS.compile(pattern)
    } catch (cause) {
      throw new NotVerified(`'${pattern}' is not a regular expression: ${errorMessage(cause)}`, cause)
    }
  }
  const patterns = identities.map(({ issuer, subject }) => ({ issuer: compile(issuer), subject: compile(subject) }))
  return ({ issuer, subject }) =>
    patterns.length === 0 ||
    patterns.some(pattern => pattern.issuer.matcher(issuer).find() && pattern.subject.matcher(subject).find())
}

/** The Sigstore libraries load slowly, and few sources need them. */
const verifierOf = async (trustedRoot: Uint8Array): Promise<Verify> => {
  const [{ toTrustMaterial, toSignedEntity, Verifier }, { bundleFromJSON }, { TrustedRoot }] = await Promise.all([
    import('@sigstore/verify'),
    import('@sigstore/bundle'),
    import('@sigstore/protobuf-specs'),
  ])
  const root = parseRoot(trustedRoot)
  const verifier = new Verifier(
    trusting(() => toTrustMaterial(TrustedRoot.fromJSON(root))),
    {
      tlogThreshold: 1,
      ctlogThreshold: 1,
      timestampThreshold: 1,
    },
  )
  return (json, artifact) => {
    const bundle = bundleFromJSON(json)
    const entity = toSignedEntity(bundle, artifact)
    if (entity.key.$case !== 'certificate') throw new NotVerified('the bundle has no certificate')
    requireCodeSigning(entity.key.certificate.root.toDER())
    const { identity } = verifier.verify(entity)
    return { identity: identityOf(identity), statement: statementIn(bundle) }
  }
}

const identityOf = (signer: Signer['identity']): Identity => ({
  subject: signer?.subjectAlternativeName ?? '',
  issuer: signer?.extensions?.issuer ?? '',
})

/** The certificate must be for code signing: the library does not check that. */
const requireCodeSigning = (certificate: Buffer): void => {
  const serves = purposesOf(readCertificate(certificate))
  if (!serves || serves.includes(purposes.codeSigning) || serves.includes(purposes.any)) return
  throw new NotVerified('the certificate is not for code signing')
}

/** The statement of the verified bundle. */
const statementIn = ({ content }: Bundle): Buffer | undefined => {
  const isStatement = content.$case === 'dsseEnvelope' && content.dsseEnvelope.payloadType === inToto
  return isStatement ? content.dsseEnvelope.payload : undefined
}

const trusting = <T>(read: () => T): T => {
  try {
    return read()
  } catch (cause) {
    throw new NotVerified(`unable to parse trusted root: ${errorMessage(cause)}`, cause)
  }
}

const parseRoot = (content: Uint8Array): unknown => trusting(() => JSON.parse(Buffer.from(content).toString('utf8')))

const cosign = 'dev.sigstore.cosign'

/** Converts an attached signature to a bundle (v0.1). */
const bundleOf = ({ payload, signature, annotations }: AttachedSignature): unknown => {
  const certificate = annotations[`${cosign}/certificate`]
  if (!certificate) throw new NotVerified('the signature has no certificate')
  const { SignedEntryTimestamp, Payload } = logEntryIn(annotations[`${cosign}/bundle`])
  const [kind, version] = kindOf(Payload.body)
  const timestamp = timestampIn(annotations[`${cosign}/rfc3161timestamp`])
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: base64(new X509Certificate(certificate).raw) }] },
      tlogEntries: [
        {
          logIndex: String(Payload.logIndex),
          logId: { keyId: base64(Buffer.from(String(Payload.logID), 'hex')) },
          kindVersion: { kind, version },
          integratedTime: String(Payload.integratedTime),
          inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
          canonicalizedBody: Payload.body,
        },
      ],
      ...(timestamp && { timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: timestamp }] } }),
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(payload).digest('base64') },
      signature,
    },
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

interface LogEntry {
  readonly SignedEntryTimestamp: string
  readonly Payload: {
    readonly body: string
    readonly integratedTime: number
    readonly logIndex: number
    readonly logID: string
  }
}

const logEntryIn = (annotation: string | undefined): LogEntry => {
  if (!annotation) throw new NotVerified('the signature has no transparency log entry')
  const entry = JSON.parse(annotation) as LogEntry
  if (typeof entry?.SignedEntryTimestamp !== 'string' || typeof entry.Payload?.body !== 'string') {
    throw new NotVerified('the transparency log entry is malformed')
  }
  return entry
}

const kindOf = (body: string): [string, string] => {
  const { kind, apiVersion } = JSON.parse(Buffer.from(body, 'base64').toString('utf8')) as Record<string, unknown>
  return [String(kind), String(apiVersion)]
}

const timestampIn = (annotation: string | undefined): string | undefined => {
  if (!annotation) return undefined
  const { SignedRFC3161Timestamp } = JSON.parse(annotation) as Record<string, unknown>
  return typeof SignedRFC3161Timestamp === 'string' ? SignedRFC3161Timestamp : undefined
}
