import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { Context } from '../context.ts'
import { requireDecryptionAllowed } from '../decryption/decryption.ts'
import { resolveSource } from '../resolve-source.ts'
import { buildManifests } from './build-manifests.ts'
import { sourceFolder } from './source-path.ts'

/** Makes the build that the next pass applies, so that this pass and all others with the same build find it in the cache. */
export const buildAhead = async (kustomization: Kustomization, context: Context): Promise<void> => {
  const { readSource, settings } = context
  requireDecryptionAllowed(kustomization, settings)
  const { artifact, isForeign } = await resolveSource(kustomization, context)
  if (isForeign) return // the pass downloads it, and never reads it from the store
  const files = await readSource(artifact)
  if (!files) return
  const folder = sourceFolder(files, kustomization.spec.path)
  await buildManifests(kustomization, { artifact, files, folder }, context, settings)
}
