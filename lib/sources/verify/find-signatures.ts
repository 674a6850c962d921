import { type Descriptor, isIndex, type Manifest } from '../oci/manifest.ts'
import { OciError } from '../oci/oci-error.ts'
import type { OciRepositoryReader } from '../oci/read-repository.ts'

/** A signature as older cosigns attach it: a layer of the image under the tag `sha256-<hex>.sig`. */
export interface AttachedSignature {
  /** What is signed: JSON that names the digest. */
  readonly payload: Buffer
  /** Base64. */
  readonly signature: string
  readonly annotations: Readonly<Record<string, string>>
}

export interface FoundSignatures {
  /** Sigstore bundles (v0.3), as JSON, that refer to the artifact. */
  readonly bundles: readonly Buffer[]
  readonly attached: readonly AttachedSignature[]
}

type Reader = Pick<OciRepositoryReader, 'referrers' | 'manifest' | 'blob'>

export const bundleType = 'application/vnd.dev.sigstore.bundle'
const simpleSigning = 'application/vnd.dev.cosign.simplesigning.v1+json'
const signatureAnnotation = 'dev.cosignproject.cosign/signature'

/** No more signatures of one artifact than these are looked at, nor larger ones. */
const MAX_SIGNATURES = 50
const MAX_BYTES = 4 << 20

/** All that claims to be a cosign signature of a digest: bundles first, and what older versions made where there are none. */
export const findSignatures = async (reader: Reader, digest: string): Promise<FoundSignatures> => {
  const bundles = await findBundles(reader, digest)
  return { bundles, attached: bundles.length > 0 ? [] : await findAttached(reader, digest) }
}

const findBundles = async (reader: Reader, digest: string): Promise<Buffer[]> => {
  const referrers = (await reader.referrers(digest)).filter(
    ({ artifactType }) => !artifactType || artifactType.startsWith(bundleType),
  )
  const bundles: Buffer[] = []
  for (const { digest: referrer } of referrers.slice(0, MAX_SIGNATURES)) {
    const layer = (await layersOf(reader, referrer)).find(({ mediaType }) => mediaType.startsWith(bundleType))
    if (layer) bundles.push(await reader.blob(layer, MAX_BYTES))
  }
  return bundles
}

const findAttached = async (reader: Reader, digest: string): Promise<AttachedSignature[]> => {
  const layers = await layersOf(reader, `${digest.replace(':', '-')}.sig`)
  const found: AttachedSignature[] = []
  for (const layer of layers.slice(0, MAX_SIGNATURES)) {
    const { mediaType, annotations = {} } = layer
    const signature = annotations[signatureAnnotation]
    if (mediaType !== simpleSigning || !signature) continue
    found.push({ payload: await reader.blob(layer, MAX_BYTES), signature, annotations })
  }
  return found
}

const layersOf = async (reader: Reader, reference: string): Promise<readonly Descriptor[]> => {
  try {
    const { manifest } = await reader.manifest(reference)
    return isIndex(manifest) ? [] : (manifest satisfies Manifest).layers
  } catch (error) {
    if (error instanceof OciError && error.code === 'notFound') return []
    throw error
  }
}
