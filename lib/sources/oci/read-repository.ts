import { createHash } from 'node:crypto'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { responseError } from './error-response.ts'
import {
  acceptedManifests,
  type Descriptor,
  type Index,
  isDigest,
  isIndex,
  type Manifest,
  mediaTypes,
  parseManifest,
} from './manifest.ts'
import { OciError } from './oci-error.ts'
import type { OciLimits } from './oci-limits.ts'
import type { RegistrySession } from './registry-session.ts'

export interface OciRepositoryReader {
  /** The current digest of a tag: usually one request. */
  resolve(tag: string): Promise<string>
  /** A manifest by tag or digest; verifies the digest. */
  manifest(reference: string): Promise<FetchedManifest>
  /** The image at a digest: for an index, the first one for linux/amd64 or without a platform. */
  image(digest: string): Promise<Manifest>
  /** A blob; verifies its digest and size. `maxBytes` limits the size. */
  blob(descriptor: Pick<Descriptor, 'digest' | 'size'>, maxBytes?: number): Promise<Buffer>
  /** All tags, over all pages. */
  tags(): Promise<readonly string[]>
  /** The manifests that refer to a digest, such as signatures; of one type if given. */
  referrers(digest: string, artifactType?: string): Promise<readonly Descriptor[]>
}

export interface FetchedManifest {
  readonly digest: string
  readonly content: Buffer
  readonly manifest: Manifest | Index
}

const ERROR_BYTES = 64 << 10
const TAGS_A_PAGE = 1000
const MAX_PAGES = 1000
const TAG_PAGE_BYTES = 4 << 20

/**
 * Reads over a session. Manifests and blobs are verified by their digests, so registries need no trust for what is
 * requested by digest.
 */
export const repositoryReader = (session: RegistrySession, limits: OciLimits): OciRepositoryReader => {
  const accept = { accept: acceptedManifests }

  const resolve = async (tag: string): Promise<string> => {
    const head = await session.send({ method: 'HEAD', path: `/manifests/${tag}`, headers: accept })
    await head.discard()
    const digest = head.headers['docker-content-digest']
    // If a HEAD fails or lacks the digest, a GET has the error or the manifest.
    return head.status === 200 && typeof digest === 'string' && isDigest(digest) ? digest : (await fetch(tag)).digest
  }

  const fetch = async (reference: string): Promise<FetchedManifest> => {
    const response = await session.send({ path: `/manifests/${reference}`, headers: accept })
    if (response.status !== 200) throw await refused(response)
    const content = await response.bytes(limits.maxManifestBytes)
    const expected = isDigest(reference) ? reference : undefined
    const digest = digestOf(content, expected)
    if (expected && digest !== expected) {
      throw new OciError('corrupt', `manifest digest: "${digest}" does not match requested digest: "${expected}"`)
    }
    return { digest, content, manifest: parseManifest(content) }
  }

  const image = async (digest: string): Promise<Manifest> => {
    const { manifest } = await fetch(digest)
    if (!isIndex(manifest)) return manifest
    const child = manifest.manifests.find(({ platform }) => !platform || isDefault(platform))
    if (!child) throw new OciError('notFound', `no child with platform linux/amd64 in index ${digest}`)
    const { manifest: selected } = await fetch(child.digest)
    if (isIndex(selected))
      throw new OciError('protocol', `the index ${digest} contains another index in place of an image`)
    return selected
  }

  const blob = async (
    { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
    maxBytes = limits.maxBlobBytes,
  ): Promise<Buffer> => {
    if (size > maxBytes) throw new OciError('tooLarge', `the layer ${digest} has ${size} bytes, more than ${maxBytes}`)
    const response = await session.send({ path: `/blobs/${digest}` })
    if (response.status !== 200) throw await refused(response)
    return checked(response, digest, size)
  }

  const tags = async (): Promise<readonly string[]> => {
    const all: string[] = []
    let next: URL | string | undefined = `/tags/list?n=${TAGS_A_PAGE}`
    for (let page = 0; next && page < MAX_PAGES && all.length < limits.maxTags; page++) {
      const response: HttpResponse = await session.send({ path: next })
      if (response.status !== 200) throw await refused(response)
      for (const tag of readTags(await response.bytes(TAG_PAGE_BYTES))) all.push(tag)
      next = nextPage(response)
    }
    return all
  }

  const referrers = async (digest: string, artifactType?: string): Promise<readonly Descriptor[]> => {
    const query = artifactType ? `?artifactType=${encodeURIComponent(artifactType)}` : ''
    const found: Descriptor[] = []
    let next: URL | string | undefined = `/referrers/${digest}${query}`
    for (let page = 0; next && page < MAX_PAGES && found.length < limits.maxTags; page++) {
      const response: HttpResponse = await session.send({ path: next, headers: { accept: mediaTypes.index } })
      const isSupported =
        response.status === 200 && String(response.headers['content-type']).startsWith(mediaTypes.index)
      if (!isSupported) {
        await response.discard()
        return ofType(await referrersByTag(digest), artifactType)
      }
      const index = parseManifest(await response.bytes(limits.maxManifestBytes))
      if (isIndex(index)) for (const manifest of index.manifests) found.push(manifest)
      next = nextPage(response)
    }
    return ofType(found, artifactType)
  }

  /** For registries without the API: an index under a tag derived from the digest. */
  const referrersByTag = async (digest: string): Promise<readonly Descriptor[]> => {
    try {
      const { manifest } = await fetch(digest.replace(':', '-'))
      return isIndex(manifest) ? manifest.manifests : []
    } catch (error) {
      if (error instanceof OciError && error.code === 'notFound') return []
      throw error
    }
  }

  return { resolve, manifest: fetch, image, blob, tags, referrers }
}

const isDefault = ({ os, architecture }: NonNullable<Descriptor['platform']>): boolean =>
  os === 'linux' && architecture === 'amd64'

const ofType = (found: readonly Descriptor[], artifactType: string | undefined): readonly Descriptor[] =>
  artifactType ? found.filter(descriptor => descriptor.artifactType === artifactType) : found

const algorithmOf = (digest = 'sha256:'): string => digest.slice(0, digest.indexOf(':'))

const digestOf = (content: Uint8Array, like?: string): string =>
  `${algorithmOf(like)}:${createHash(algorithmOf(like)).update(content).digest('hex')}`

const checked = async (response: HttpResponse, digest: string, size: number): Promise<Buffer> => {
  const hash = createHash(algorithmOf(digest))
  const content = Buffer.allocUnsafe(size)
  let at = 0
  for await (const chunk of response.chunks()) {
    if (at + chunk.length > size) throw new OciError('corrupt', `the layer ${digest} is longer than ${size} bytes`)
    content.set(chunk, at)
    hash.update(chunk)
    at += chunk.length
  }
  const actual = `${algorithmOf(digest)}:${hash.digest('hex')}`
  if (at !== size || actual !== digest) {
    throw new OciError(
      'corrupt',
      `error verifying sha256 checksum after reading ${at} bytes; got "${actual}", want "${digest}"`,
    )
  }
  return content
}

const refused = async (response: HttpResponse): Promise<OciError> => {
  const { method, url, status, headers } = response
  return responseError(method, url, status, await response.bytes(ERROR_BYTES), headers)
}

const readTags = (body: Uint8Array): readonly string[] => {
  try {
    const { tags } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly tags?: unknown }
    if (tags === null || tags === undefined) return []
    if (Array.isArray(tags) && tags.every(tag => typeof tag === 'string')) return tags
  } catch {
    // handled below
  }
  throw new OciError('protocol', 'the response of the registry is not a list of tags')
}

/** The `next` link (RFC 8288), which must lead to the same registry. */
const nextPage = ({ headers, url }: HttpResponse): URL | undefined => {
  const [, target] = /<([^>]{1,8000})>\s*;\s*rel="?next"?/.exec(String(headers.link ?? '')) ?? []
  const next = target === undefined ? undefined : URL.parse(target, url.href)
  if (!next) return undefined
  if (next.origin !== url.origin) throw new OciError('protocol', `the list continues on another host, ${next.host}`)
  return next
}
