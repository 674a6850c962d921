/** The schemas of kinds, for clients that validate, explain and merge by schema. */
import type { KindRegistry } from '../../../foundations/kinds/all.ts'
import { openApiDocument, openApiIndex } from '../../../foundations/kinds/schema/open-api.ts'
import { mediaRanges } from '../wire/media-type.ts'
import { pageNotFound, respond } from '../wire/respond.ts'
import { swagger, swaggerProtobuf } from './open-api-v2.ts'

/** As clients request it; the response's own type is corrected, because no parser accepts an `@`. */
const swaggerProtobufType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Documents of one registry: they are large, requested often, and change only with the registry. */
const texts = new WeakMap<KindRegistry, Map<string, string | undefined>>()

/** Responds to `/openapi/v2`, `/openapi/v3` and the documents in its index; undefined for other paths. */
export const openApi = async (request: Request, url: URL, kinds: KindRegistry): Promise<Response | undefined> => {
  const path = url.pathname.replace(/\/$/, '')
  if (path === '/openapi/v2' && mediaRanges(request.headers.get('accept') ?? '')[0]?.type === swaggerProtobufType)
    return new Response(new Uint8Array(swaggerProtobuf()), {
      headers: { 'content-type': swaggerProtobufType.replace('@', '.') },
    })
  if (path !== '/openapi/v2' && path !== '/openapi/v3' && !path.startsWith('/openapi/v3/')) return undefined
  const text = textAt(path, kinds)
  if (text === undefined) return pageNotFound()
  const response = await respond({ request }, text)
  // The index contains the hash of each document, so a document requested by hash never changes.
  if (url.searchParams.has('hash')) response.headers.set('cache-control', 'public, immutable')
  return response
}

const textAt = (path: string, kinds: KindRegistry): string | undefined => {
  const known = texts.get(kinds) ?? new Map<string, string | undefined>()
  texts.set(kinds, known)
  const text = known.get(path) ?? written(path, kinds)
  if (text !== undefined) known.set(path, text)
  return text
}

const written = (path: string, kinds: KindRegistry): string | undefined => {
  if (path === '/openapi/v2') return swagger(kinds)
  const [root, ...rest] = path.split('/').slice(3)
  if (root === undefined) return JSON.stringify(openApiIndex(kinds))
  const [group, version] = root === 'api' ? ['', rest[0]] : rest
  const isDocument = rest.length === (root === 'api' ? 1 : 2) && (root === 'api' || root === 'apis')
  const document = isDocument && group !== undefined && version ? openApiDocument(kinds, group, version) : undefined
  return document && JSON.stringify(document)
}
