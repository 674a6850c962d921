import type { Clock } from '../../platform/ports/clock.ts'
import type { OciRepositoryReader } from '../oci/read-repository.ts'
import { type KeylessPolicy, requireKeyless } from './cosign-keyless.ts'
import { isSignedByKey } from './cosign-keys.ts'
import { findSignatures } from './find-signatures.ts'
import { NotVerified } from './not-verified.ts'
import type { NotationPolicy, SignedArtifact } from './notation/require-notation.ts'
import { readPublicKey } from './public-key.ts'
import type { Revocation } from './revocation/revocation.ts'

/** The required signature. */
export type SignaturePolicy =
  | { readonly provider: 'cosign'; readonly keys: readonly Uint8Array[] }
  | { readonly provider: 'cosign keyless'; readonly keyless: KeylessRequirement }
  | { readonly provider: 'notation'; readonly notation: NotationPolicy }

/** The trusted root is optional; the default is that of the hub's Sigstore. */
type KeylessRequirement = Pick<KeylessPolicy, 'identities'> & Partial<Pick<KeylessPolicy, 'trustedRoot'>>

type Reader = Pick<OciRepositoryReader, 'referrers' | 'manifest' | 'blob'>

export interface ArtifactVerifier {
  /**
   * Requires a signature that the policy trusts. Returns false if the policy does not enforce it and there is none.
   * Fails with NotVerified or OciError.
   */
  verify(reader: Reader, artifact: SignedArtifact, policy: SignaturePolicy): Promise<boolean>
}

interface VerifierPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly revocation: Revocation
  /** `trusted_root.json` of the default Sigstore. Fails with NotVerified. */
  sigstoreRoot(): Promise<Uint8Array>
}

/** A verifier for cosign's signatures, with keys or keyless, and for notation's. */
export const artifactVerifier = ({ clock, revocation, sigstoreRoot }: VerifierPorts): ArtifactVerifier => {
  const requireCosign = async (
    reader: Reader,
    digest: string,
    policy: Exclude<SignaturePolicy, { readonly provider: 'notation' }>,
  ): Promise<void> => {
    if (policy.provider === 'cosign keyless') {
      const { identities, trustedRoot = await sigstoreRoot() } = policy.keyless
      return requireKeyless(await findSignatures(reader, digest), digest, { identities, trustedRoot })
    }
    const keys = policy.keys.map(readPublicKey)
    const found = await findSignatures(reader, digest)
    if (found.bundles.length + found.attached.length === 0) throw new NotVerified('no signatures found')
    if (!isSignedByKey(found, digest, keys)) throw new NotVerified('no matching signatures for the given keys')
  }

  return {
    async verify(reader, artifact, policy) {
      if (policy.provider === 'notation') {
        const { requireNotation } = await import('./notation/require-notation.ts')
        const now = new Date(clock.now())
        return requireNotation(reader, artifact, policy.notation, { now, revocation })
      }
      await requireCosign(reader, artifact.digest, policy)
      return true
    },
  }
}
