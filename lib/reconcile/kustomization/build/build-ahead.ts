import type { Kustomization } from '../../../kinds/kustomization.ts'
import type { Context } from '../context.ts'
import { requireDecryptionAllowed } from '../decryption/decryption.ts'
import { resolveSource } from '../resolve-source.ts'
import { buildManifests } from './build-manifests.ts'
import { sourceFolder } from './source-path.ts'

/** Builds what the next pass applies, so that it finds the result in the cache, as do all others that apply the same. */
export const buildAhead = async (kustomization: Kustomization, context: Context): Promise<void> => {
  const { hub, readSource, settings } = context
  requireDecryptionAllowed(kustomization, settings)
  const artifact = await resolveSource(hub, kustomization, settings)
  const files = await readSource(artifact)
  if (!files) return
  const folder = sourceFolder(files, kustomization.spec.path)
  await buildManifests(kustomization, { artifact, files, folder }, context, settings)
}
