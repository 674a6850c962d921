import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { Context } from '../context.ts'
import { requireDecryptionAllowed } from '../decryption/decryption.ts'
import { resolveSource } from '../resolve-source.ts'
import { buildManifests } from './build-manifests.ts'
import { sourceFolder } from './source-path.ts'

/** Makes the build that the next pass applies, so that the pass finds it in the cache, as do all others that apply the same. */
export const buildAhead = async (kustomization: Kustomization, context: Context): Promise<void> => {
  const { readSource, settings } = context
  requireDecryptionAllowed(kustomization, settings)
  if (kustomization.spec.sourceRef.kind === 'ExternalArtifact') return // the pass downloads it, and never reads it from the store
  const artifact = await resolveSource(kustomization, context)
  const files = await readSource(artifact)
  if (!files) return
  const folder = sourceFolder(files, kustomization.spec.path)
  await buildManifests(kustomization, { artifact, files, folder }, context, settings)
}
