import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { Context } from '../context.ts'
import { requireDecryptionAllowed } from '../decryption/decryption.ts'
import { resolveSource } from '../resolve-source.ts'
import { buildManifests } from './build-manifests.ts'
import { sourceFolder } from './source-path.ts'

/** Builds what the next pass applies, so that it finds the result in the cache, as do all others that apply the same. */
export const buildAhead = async (kustomization: Kustomization, context: Context): Promise<void> => {
  const { readSource, settings } = context
  requireDecryptionAllowed(kustomization, settings)
  if (kustomization.spec.sourceRef.kind === 'ExternalArtifact') return // downloaded by the pass, never read from the store
  const artifact = await resolveSource(kustomization, context)
  const files = await readSource(artifact)
  if (!files) return
  const folder = sourceFolder(files, kustomization.spec.path)
  await buildManifests(kustomization, { artifact, files, folder }, context, settings)
}
