import { createHash } from 'node:crypto'

export interface ImageContent {
  readonly config?: { readonly mediaType: string; readonly content: string | Uint8Array }
  readonly layers: readonly {
    readonly mediaType: string
    readonly content: string | Uint8Array
    readonly annotations?: Readonly<Record<string, string>>
  }[]
  readonly annotations?: Readonly<Record<string, string>>
  /** What this is about, for signatures. */
  readonly subject?: object
}

export interface PushTarget {
  /** `http://127.0.0.1:5000`. */
  readonly origin: string
  readonly repository: string
  readonly tags: readonly string[]
  readonly authorization?: string
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
export const fluxConfig = { mediaType: 'application/vnd.cncf.flux.config.v1+json', content: '{}' }

/** Puts an image into a registry, apart from the client that is tested; returns the digest of its manifest. */
export const pushImage = async (image: ImageContent, target: PushTarget): Promise<string> => {
  const { config = fluxConfig, layers, annotations, subject } = image
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: await pushBlob(config, target),
    layers: await Promise.all(layers.map(layer => pushBlob(layer, target))),
    ...(annotations && { annotations }),
    ...(subject && { subject }),
  })
  return pushManifest(manifest, manifestType, target)
}

export const pushManifest = async (content: string, mediaType: string, target: PushTarget): Promise<string> => {
  const digest = sha256(Buffer.from(content))
  for (const reference of target.tags.length > 0 ? target.tags : [digest]) {
    await call(target, 'PUT', `/manifests/${reference}`, Buffer.from(content), { 'content-type': mediaType })
  }
  return digest
}

const pushBlob = async (
  { mediaType, content, annotations }: ImageContent['layers'][0],
  target: PushTarget,
): Promise<object> => {
  const bytes = Buffer.from(content)
  const digest = sha256(bytes)
  const begun = await call(target, 'POST', '/blobs/uploads/')
  const location = new URL(begun.headers.get('location')!, begun.url)
  location.searchParams.append('digest', digest)
  await call(target, 'PUT', location, bytes, { 'content-type': 'application/octet-stream' })
  return { mediaType, size: bytes.length, digest, ...(annotations && { annotations }) }
}

const call = async (
  { origin, repository, authorization }: PushTarget,
  method: string,
  path: string | URL,
  body?: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const url = typeof path === 'string' ? `${origin}/v2/${repository}${path}` : path
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(authorization && { authorization }) },
    ...(body && { body }),
  })
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
  return answer
}

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
