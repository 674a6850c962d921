import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import { OciError } from './oci-error.ts'

/** A reference to content by digest (OCI image specification). */
export interface Descriptor {
  readonly mediaType: string
  /** `sha256:<hex>` or `sha512:<hex>`. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly artifactType?: string
  readonly platform?: { readonly os: string; readonly architecture: string }
}

export interface Manifest {
  readonly mediaType: string
  readonly artifactType?: string
  readonly config?: Descriptor
  readonly layers: readonly Descriptor[]
  readonly subject?: Descriptor
  readonly annotations: Readonly<Record<string, string>>
}

export interface Index {
  readonly mediaType: string
  readonly manifests: readonly Descriptor[]
  readonly annotations: Readonly<Record<string, string>>
}

export const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
} as const

/** The supported media types, for `Accept`. */
export const acceptedManifests: string = Object.values(mediaTypes).join(', ')

const MAX_ENTRIES = 10_000
const digestPattern = /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/

export const isDigest = (text: string): boolean => digestPattern.test(text)

/** Parses an untrusted manifest or index. Fails with OciError `protocol`. */
export const parseManifest = (bytes: Uint8Array): Manifest | Index => {
  const value = objectOf(parseJson(bytes), 'the manifest')
  const annotations = annotationsOf(value.annotations)
  const mediaType = textOf(value.mediaType) ?? ''
  if (Array.isArray(value.manifests)) {
    return { mediaType: mediaType || mediaTypes.index, manifests: descriptorsOf(value.manifests), annotations }
  }
  if (!Array.isArray(value.layers)) throw bad('it has neither layers nor manifests')
  const artifactType = textOf(value.artifactType)
  return {
    mediaType: mediaType || mediaTypes.manifest,
    layers: descriptorsOf(value.layers),
    annotations,
    ...(artifactType && { artifactType }),
    ...(value.config !== undefined && value.config !== null && { config: descriptorOf(value.config) }),
    ...(value.subject !== undefined && value.subject !== null && { subject: descriptorOf(value.subject) }),
  }
}

export const isIndex = (manifest: Manifest | Index): manifest is Index => 'manifests' in manifest

const bad = (what: string, cause?: unknown): OciError =>
  new OciError('protocol', `the manifest is not an OCI manifest: ${what}`, { cause })

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw bad('it is not JSON', cause)
  }
}

const objectOf = (value: unknown, what: string): JsonObject => {
  if (isObject(value)) return value
  throw bad(`${what} is not an object`)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const descriptorsOf = (values: readonly unknown[]): readonly Descriptor[] => {
  if (values.length > MAX_ENTRIES) throw bad(`it has more than ${MAX_ENTRIES} descriptors`)
  return values.map(descriptorOf)
}

const descriptorOf = (value: unknown): Descriptor => {
  const { mediaType, digest, size, annotations, artifactType, platform } = objectOf(value, 'a descriptor')
  if (typeof digest !== 'string' || !isDigest(digest)) throw bad('a descriptor has no sha256 or sha512 digest')
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw bad('a descriptor has no size')
  const at = platform === undefined || platform === null ? undefined : objectOf(platform, 'a platform')
  return {
    mediaType: textOf(mediaType) ?? '',
    digest,
    size,
    ...(annotations !== undefined && { annotations: annotationsOf(annotations) }),
    ...(textOf(artifactType) && { artifactType: textOf(artifactType)! }),
    ...(at && { platform: { os: textOf(at.os) ?? '', architecture: textOf(at.architecture) ?? '' } }),
  }
}

const annotationsOf = (value: unknown): Readonly<Record<string, string>> => {
  if (value === undefined || value === null) return {}
  const found: Record<string, string> = Object.create(null)
  for (const [key, text] of Object.entries(objectOf(value, 'annotations'))) {
    if (typeof text !== 'string') throw bad('an annotation is not a string')
    found[key] = text
  }
  return { ...found }
}
