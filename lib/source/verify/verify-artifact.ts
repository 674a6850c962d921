import type { OciRepositoryReader } from '../oci/read-repository.ts'
import { type KeylessPolicy, requireKeyless } from './cosign-keyless.ts'
import { isSignedByKey } from './cosign-keys.ts'
import { findSignatures } from './find-signatures.ts'
import { NotVerified } from './not-verified.ts'
import type { NotationPolicy, SignedArtifact } from './notation/require-notation.ts'
import { readPublicKey } from './public-key.ts'

/** Who must have signed. */
export type SignaturePolicy =
  | { readonly provider: 'cosign'; readonly keys: readonly Uint8Array[] }
  | { readonly provider: 'cosign keyless'; readonly keyless: KeylessPolicy }
  | { readonly provider: 'notation'; readonly notation: NotationPolicy }

type Reader = Pick<OciRepositoryReader, 'referrers' | 'manifest' | 'blob'>

/**
 * Requires that somebody whom the policy trusts has signed the artifact. False = the policy does not insist, and nothing is
 * known of who has signed. Fails with NotVerified or OciError.
 */
export const verifyArtifact = async (
  reader: Reader,
  artifact: SignedArtifact,
  policy: SignaturePolicy,
  now: Date,
): Promise<boolean> => {
  if (policy.provider === 'notation') {
    const { requireNotation } = await import('./notation/require-notation.ts')
    return requireNotation(reader, artifact, policy.notation, now)
  }
  await requireCosign(reader, artifact.digest, policy)
  return true
}

const requireCosign = async (
  reader: Reader,
  digest: string,
  policy: Exclude<SignaturePolicy, { readonly provider: 'notation' }>,
): Promise<void> => {
  if (policy.provider === 'cosign keyless') {
    return requireKeyless(await findSignatures(reader, digest), digest, policy.keyless)
  }
  const keys = policy.keys.map(readPublicKey)
  const found = await findSignatures(reader, digest)
  if (found.bundles.length + found.attached.length === 0) throw new NotVerified('no signatures found')
  if (!isSignedByKey(found, digest, keys)) throw new NotVerified('no matching signatures: none of the keys made one')
}
