import { type Descriptor, isIndex, type Manifest } from '../oci/manifest.ts'
import { OciError } from '../oci/oci-error.ts'
import type { OciRepositoryReader } from '../oci/read-repository.ts'

/** A signature as older versions of cosign attach it: a layer of the image with the tag `sha256-<hex>.sig`. */
export interface AttachedSignature {
  /** The signed bytes: JSON that contains the digest. */
  readonly payload: Buffer
  /** Base64. */
  readonly signature: string
  readonly annotations: Readonly<Record<string, string>>
}

export interface Signatures {
  /** Sigstore bundles (v0.3) as JSON, which refer to the artifact. */
  readonly bundles: readonly Buffer[]
  readonly attached: readonly AttachedSignature[]
}

type Reader = Pick<OciRepositoryReader, 'referrers' | 'manifest' | 'blob'>

const bundleType = 'application/vnd.dev.sigstore.bundle'
const simpleSigning = 'application/vnd.dev.cosign.simplesigning.v1+json'
const signatureAnnotation = 'dev.cosignproject.cosign/signature'

/** Limits for signatures of one artifact; larger ones are skipped. */
const MAX_SIGNATURES = 50
const MAX_BYTES = 4 << 20

/** All cosign signatures of a digest, unverified: bundles, or if there are none, signatures in the older format. */
export const findSignatures = async (reader: Reader, digest: string): Promise<Signatures> => {
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
