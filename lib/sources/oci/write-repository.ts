import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { responseError } from './error-response.ts'
import type { Descriptor } from './manifest.ts'
import { OciError } from './oci-error.ts'
import type { RegistrySession } from './registry-session.ts'

export interface OciRepositoryWriter {
  /** Uploads a blob unless the registry has it. */
  pushBlob(content: Uint8Array, mediaType: string): Promise<Descriptor>
  /** Stores a manifest under a tag, or under its own digest; returns the digest. */
  pushManifest(content: Uint8Array, mediaType: string, tag?: string): Promise<string>
}

const access = 'pull,push'
const ERROR_BYTES = 64 << 10

/** Writes over a session, with a token for pushing. Throws OciError. */
export const repositoryWriter = (session: RegistrySession): OciRepositoryWriter => {
  const hasBlob = async (digest: string): Promise<boolean> => {
    const response = await session.send({ method: 'HEAD', path: `/blobs/${digest}`, access })
    await response.discard()
    return response.status === 200
  }

  return {
    pushBlob: async (content, mediaType) => {
      const digest = sha256Digest(content)
      const descriptor = { mediaType, digest, size: content.length }
      if (await hasBlob(digest)) return descriptor
      const begun = await expectSuccess(await session.send({ method: 'POST', path: '/blobs/uploads/', access }))
      const location = URL.parse(String(begun.headers.location), begun.url.href)
      if (!location) throw new OciError('protocol', 'the registry sent no upload location')
      location.searchParams.append('digest', digest)
      await expectSuccess(
        await session.send({
          method: 'PUT',
          path: location,
          access,
          headers: { 'content-type': 'application/octet-stream' },
          body: content,
        }),
      )
      return descriptor
    },

    pushManifest: async (content, mediaType, tag) => {
      const digest = sha256Digest(content)
      const path = `/manifests/${tag ?? digest}`
      const headers = { 'content-type': mediaType }
      await expectSuccess(await session.send({ method: 'PUT', path, access, headers, body: content }))
      return digest
    },
  }
}

const expectSuccess = async (response: HttpResponse): Promise<HttpResponse> => {
  if (response.status >= 200 && response.status < 300) {
    await response.discard()
    return response
  }
  const { method, url, status, headers } = response
  throw responseError(method, url, status, await response.bytes(ERROR_BYTES), headers)
}
