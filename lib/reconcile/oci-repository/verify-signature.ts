import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import { conditionOf, type NewCondition } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import { nameOf, type RepositoryName } from '../../sources/oci/image-name.ts'
import type { OciSession } from '../../sources/oci/oci-client.ts'
import { OciError } from '../../sources/oci/oci-error.ts'
import { InvalidPublicKey, NotVerified } from '../../sources/verify/not-verified.ts'
import type { ArtifactVerifier } from '../../sources/verify/verify-artifact.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { loadSignaturePolicy, providerName } from '../source-artifact/signature-policy.ts'
import { verificationFailed } from './halts.ts'
import type { Resolved } from './resolve-revision.ts'

interface VerificationContext {
  readonly object: OciRepository
  readonly pass: Pass<OciRepository>
  readonly ports: { readonly references: References; readonly signatures: ArtifactVerifier }
  readonly access: { readonly repository: RepositoryName }
  readonly session: OciSession
}

/**
 * Verifies the signatures of an artifact, unless the same spec has verified it already; returns the condition to set.
 * Halts unless a trusted key made one.
 */
export const verifySignature = async (
  { object, pass, ports, access, session }: VerificationContext,
  { digest, revision }: Resolved,
  isNew: boolean,
): Promise<Readonly<Record<string, NewCondition | null>>> => {
  const { verify } = object.spec
  if (!verify) return { SourceVerified: null }
  if (!isNew && wasVerified(object)) return {}
  const repository = nameOf(access.repository)
  try {
    const policy = await loadSignaturePolicy(ports.references, object, verify)
    const isVerified = await ports.signatures.verify(session, { digest, repository }, policy).catch(error => {
      const isUnsigned = error instanceof NotVerified && !(error instanceof InvalidPublicKey)
      const message = `no matching signatures were found for '${repository}@${digest}'`
      throw isUnsigned && policy.provider === 'cosign' ? new NotVerified(message, error) : error
    })
    if (!isVerified) return { SourceVerified: null }
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof NotVerified || error instanceof OciError)) throw error
    const failed = `failed to verify the signature using provider '${providerName(verify)}'`
    throw verificationFailed(`${failed}: ${error.message}`, error)
  }
  return {
    SourceVerified: { status: 'True', reason: 'Succeeded', message: `verified signature of revision ${revision}` },
  }
}

const wasVerified = ({ metadata, status }: OciRepository): boolean => {
  const condition = conditionOf(status?.conditions, 'SourceVerified')
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation
}
