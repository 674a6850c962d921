import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { archive, sourceIgnores } from '../../sources/artifact/archive.ts'
import { extract, InvalidArchive } from '../../sources/artifact/extract.ts'
import type { Descriptor } from '../../sources/oci/manifest.ts'
import type { OciSession } from '../../sources/oci/oci-client.ts'
import { OciError } from '../../sources/oci/oci-error.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { fetchFailed } from './halts.ts'

/** The content of the artifact: the files of a layer, repacked, or the layer unchanged. */
export interface PulledLayer {
  readonly content: Uint8Array
  readonly digest: string
  /** The annotations of the image. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Pulls the layer for spec.layerSelector from the image at a digest. Halts on failure. */
export const pullLayer = async (
  session: OciSession,
  digest: string,
  object: OciRepository,
  pass: Pass<OciRepository>,
): Promise<PulledLayer> => {
  const { url, layerSelector, ignore } = object.spec
  const pulling = failing(pass, 'OCIArtifactPullFailed', `failed to pull artifact from '${url}'`)
  const { layers, annotations: metadata } = await session.image(digest).catch(pulling)
  const layer = selectLayer(layers, layerSelector?.mediaType)
  const reading = failing(pass, 'OCIArtifactLayerOperationFailed', 'failed to extract layer contents from artifact')
  const blob = await session.blob(layer).catch(reading)
  if (layerSelector?.operation === 'copy') {
    return { content: blob, digest: sha256Digest(blob), metadata }
  }
  const tree = await extract(blob).catch(reading)
  return { ...(await archive(tree, sourceIgnores(tree, ignore))), metadata }
}

const selectLayer = (layers: readonly Descriptor[], mediaType?: string): Descriptor => {
  const layer = mediaType ? layers.find(candidate => candidate.mediaType === mediaType) : layers[0]
  if (layer) return layer
  const message =
    layers.length === 0 || !mediaType
      ? 'no layers found in artifact'
      : `failed to find layer with media type '${mediaType}' in artifact`
  throw fetchFailed('OCIArtifactLayerOperationFailed', message)
}

const failing = (pass: Pass<OciRepository>, reason: string, what: string) => (error: unknown) => {
  pass.signal.throwIfAborted()
  if (!(error instanceof OciError || error instanceof InvalidArchive)) throw error
  throw fetchFailed(reason, `${what}: ${error.message}`, error)
}
