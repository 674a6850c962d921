/** The resource and verb of a request, from its method and path alone, like Kubernetes' RequestInfo. */
import type { ResourceAttributes } from '../authorize/access.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export interface ResourceRequest extends ResourceAttributes {
  readonly verb: Verb
}

const verbs: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Undefined for paths that are not resources (discovery, health...) or that are malformed. */
export const resourceRequestOf = (method: string, url: URL): ResourceRequest | undefined => {
  const segments = segmentsOf(url.pathname)
  const base = segments && baseOf(segments)
  const methodVerb = verbs.get(method)
  if (!base || base.rest.length === 0 || !methodVerb) return undefined
  const { group, version } = base
  const { namespace, parts } = scopeOf(base.rest)
  if (parts.length > 3) return undefined
  const [resource = '', name = '', subresource = ''] = parts
  const verb = name ? methodVerb : collectionVerb(methodVerb, url)
  // A namespace object counts as in its own namespace.
  const ownNamespace = group === '' && resource === 'namespaces' ? '' : namespace
  return { verb, group, version, resource, subresource, namespace: ownNamespace, name }
}

/** The decoded segments of a path; undefined if any is empty, `.` or `..`. */
const segmentsOf = (path: string): readonly string[] | undefined => {
  const raw = path.split('/').slice(1)
  if (raw.at(-1) === '') raw.pop()
  const segments = raw.map(decoded)
  return segments.every(isSegment) ? segments : undefined
}

const isSegment = (segment: string | undefined): segment is string =>
  segment !== undefined && segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('/')

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const baseOf = ([prefix, ...rest]: readonly string[]) => {
  if (prefix === 'api' && rest.length > 1) return { group: '', version: rest[0]!, rest: rest.slice(1) }
  if (prefix === 'apis' && rest.length > 2) return { group: rest[0]!, version: rest[1]!, rest: rest.slice(2) }
  return undefined
}

/** `namespaces/<ns>/<resource>...` is within a namespace; `namespaces/<ns>` and its own subresources are not. */
const scopeOf = (rest: readonly string[]): { readonly namespace: string; readonly parts: readonly string[] } => {
  if (rest[0] !== 'namespaces' || rest.length < 3) return { namespace: '', parts: rest }
  if (rest.length === 3 && namespaceSubresources.has(rest[2]!)) return { namespace: '', parts: rest }
  return { namespace: rest[1]!, parts: rest.slice(2) }
}

const collectionVerb = (verb: Verb, { searchParams }: URL): Verb => {
  if (verb === 'delete') return 'deletecollection'
  if (verb !== 'get') return verb
  const watch = searchParams.get('watch')?.toLowerCase()
  return watch === undefined || watch === 'false' || watch === '0' ? 'list' : 'watch'
}
