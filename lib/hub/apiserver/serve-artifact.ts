import { type Artifact, artifactOf } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Hub } from '../store/hub.ts'

interface ArtifactPorts {
  readonly hub: Pick<Hub, 'get'>
  /** The content of an artifact; undefined if unavailable. */
  readonly read: (artifact: Artifact) => Promise<Uint8Array | undefined>
}

type Source = KubernetesObject & { readonly status?: { readonly url?: string } }

const notFound = (): Response => new Response('404 page not found\n', { status: 404 })

/**
 * Serves the artifacts of one kind of source at the addresses in their status, `/<namespace>/<name>/<file>` below the kind's prefix. Like
 * source-controller's file server it requires no credentials: making it reachable from outside publishes the sources. Serves only the
 * current artifact of an object, which is also at `status.url`, an address that does not change with the artifact.
 */
export const serveArtifact =
  ({ hub, read }: ArtifactPorts, { group, kind }: Pick<ObjectRef, 'group' | 'kind'>) =>
  async (request: Request, path: string): Promise<Response> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response('405 method not allowed\n', { status: 405, headers: { allow: 'GET, HEAD' } })
    }
    const [, namespace, name] = /^\/([^/]+)\/([^/]+)\/[^/]+$/.exec(path) ?? []
    const source = namespace && name ? await hub.get<Source>({ group, kind, namespace, name }) : undefined
    const artifact = source && artifactOf(source)
    const url = source?.status?.url
    const requested = `${kind.toLowerCase()}${path}`
    const isLatest = url?.endsWith(`/${requested}`) ?? false
    if (!artifact || !(artifact.path === requested || isLatest)) return notFound()
    const content = await read(artifact)
    if (!content) return notFound()
    const headers = {
      'content-type': artifact.path.endsWith('.yaml') ? 'application/yaml' : 'application/gzip',
      ...(isLatest && { 'cache-control': 'no-cache' }),
      'content-length': String(content.length),
      etag: `"${artifact.digest}"`,
    }
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(content), { headers })
  }
