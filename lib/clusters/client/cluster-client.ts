import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import {
  type ApiResource,
  type CallOptions,
  type ClusterClient,
  ClusterError,
  type ClusterList,
  type ClusterListQuery,
  type WriteOptions,
} from './client.ts'
import type { ClusterRequest, Connection } from './connection.ts'
import { encodeJson } from './encode-json.ts'
import type { Impersonation } from './kubeconfig.ts'
import { maskedRefusal } from './masked-refusal.ts'
import { readFields, readList, readObject, readWritten } from './responses.ts'
import { isObjectNotFound, statusError } from './status-error.ts'
import type { RequestHeaders, TransportResponse } from './transport.ts'

const PAGE_SIZE = 500
const JSON_TYPE = 'application/json'
const METADATA_TYPE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const METADATA_LIST_TYPE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** A client of one cluster, as one user: the connection's own, or an impersonated one. */
export const clusterClient = (connection: Connection, impersonate?: Impersonation): ClusterClient => {
  const identity = impersonationHeaders(impersonate)
  const { discovery } = connection

  const exchange: Send = async ({ headers, ...request }) => {
    const response = await connection.request({ ...request, headers: { ...headers, ...identity } })
    if (response.status !== 404 || isObjectNotFound(response)) return response
    // Here it is the kind, not the object, that is unknown: that does not prove that the object is gone.
    discovery.forget()
    throw new ClusterError('noMatch', 'the server could not find the requested resource', { status: 404 })
  }
  const urlOf = async (apiVersion: string, ref: ObjectRef, options: CallOptions): Promise<string> => {
    const resource = await discovery.find(apiVersion, ref.kind, options)
    return `${collectionPath(resource, ref.namespace, ref.name)}/${encodeURIComponent(ref.name)}`
  }
  const get: ClusterClient['get'] = async (apiVersion, ref, options = {}) => {
    const path = await urlOf(apiVersion, ref, options)
    const accept = options.metadataOnly ? `${METADATA_TYPE},${JSON_TYPE}` : JSON_TYPE
    const response = await exchange({ method: 'GET', path, headers: { accept }, ...calling(options) })
    if (response.status === 200) return { ...readObject(response), apiVersion, kind: ref.kind }
    if (response.status === 404) return undefined
    throw statusError(response)
  }
  /** Sends a write; masks Secret values in the error. */
  const write = async (request: ClusterRequest, written: KubernetesObject): Promise<KubernetesObject> => {
    const response = await exchange(request)
    if (response.status < 300) return readWritten(response)
    throw await maskedRefusal(statusError(response), written, ref => get('v1', ref, { signal: request.signal }))
  }

  return {
    server: connection.server,
    access: { connection, user: JSON.stringify(identity) },
    hasResponded: connection.hasResponded,
    identity: connection.identities.find,
    resourceFor: discovery.find,
    resourceInAnyVersion: discovery.findAnyVersion,

    resources: discovery.all,

    serverVersion: (options = {}) => discovery.serverVersion(options),
    servedVersions: (options = {}) => discovery.versions(options),
    readiness: (options = {}) =>
      connection.request({ method: 'GET', path: '/readyz', headers: identity, ...calling(options) }),

    schemaHashes: async (options = {}) => {
      const headers = { accept: JSON_TYPE, ...identity }
      const response = await connection.request({ method: 'GET', path: '/openapi/v3', headers, ...calling(options) })
      if (response.status >= 500) throw statusError(response)
      return response.status === 200 ? hashesIn(readFields(response)) : new Map()
    },

    get,

    document: async (path, options = {}) => {
      const headers = { accept: JSON_TYPE, ...identity }
      const response = await connection.request({ method: 'GET', path, headers, ...calling(options) })
      if (response.status === 200) return readFields(response)
      throw statusError(response)
    },

    submit: async ({ method, path, contentType, body }, { signal } = {}) => {
      const headers = { accept: JSON_TYPE, 'content-type': contentType, ...identity }
      const response = await connection.request({ method, path, headers, body: JSON.stringify(body), signal })
      if (response.status < 300) return readFields(response)
      throw statusError(response)
    },

    podLog: async ({ namespace, name }, { container, previous, tailLines, limitBytes, signal }) => {
      const pods = await discovery.find('v1', 'Pod', { signal })
      const limits = { tailLines: String(tailLines), limitBytes: String(limitBytes) }
      const path = `${collectionPath(pods, namespace, name)}/${encodeURIComponent(name)}/log`
      const query = new URLSearchParams({ container, ...(previous && { previous: 'true' }), ...limits })
      const response = await exchange({ method: 'GET', path: `${path}?${query}`, headers: { accept: '*/*' }, signal })
      if (response.status === 200) return response.body
      throw statusError(response)
    },

    act: async (apiVersion, ref, action, { signal } = {}) => {
      const path = `${await urlOf(apiVersion, ref, { signal })}/${action}`
      const response = await exchange({ method: 'POST', path, headers: { accept: JSON_TYPE }, signal })
      if (response.status < 300) return readWritten(response)
      throw statusError(response)
    },

    list: async (query, options = {}) => {
      const resource = await discovery.find(query.apiVersion, query.kind, options)
      return listPages(exchange, resource, query, options, PAGE_SIZE)
    },

    apply: async (object, options) => {
      const path = await urlOf(object.apiVersion, refOf(object), options)
      const headers = { accept: JSON_TYPE, 'content-type': 'application/apply-patch+yaml' }
      const query = writeQuery(options, { force: String(options.force) })
      const body = encodeJson(object)
      return write({ method: 'PATCH', path: path + query, headers, body, ...calling(options) }, object)
    },

    create: async (object, options) => {
      const ref = refOf(object)
      const resource = await discovery.find(object.apiVersion, ref.kind, options)
      const path = collectionPath(resource, ref.namespace, ref.name) + writeQuery(options)
      const headers = { accept: JSON_TYPE, 'content-type': JSON_TYPE }
      return write({ method: 'POST', path, headers, body: encodeJson(object), ...calling(options) }, object)
    },

    patch: async (apiVersion, ref, patch, options) => {
      const { subresource } = options
      const path =
        (await urlOf(apiVersion, ref, options)) + (subresource ? `/${subresource}` : '') + writeQuery(options)
      const type = patch.type === 'json' ? 'application/json-patch+json' : 'application/merge-patch+json'
      const body = encodeJson(patch.type === 'json' ? patch.operations : patch.patch)
      const headers = { accept: JSON_TYPE, 'content-type': type }
      const written = {
        apiVersion,
        kind: ref.kind,
        metadata: ref,
        ...(patch.type === 'merge' && asObject(patch.patch)),
      }
      return write({ method: 'PATCH', path, headers, body, ...calling(options) }, written)
    },

    delete: async (apiVersion, ref, { propagation, uid, ...options }) => {
      const path = await urlOf(apiVersion, ref, options)
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: propagation,
        ...(uid && { preconditions: { uid } }),
      })
      const headers = { accept: JSON_TYPE, 'content-type': JSON_TYPE }
      const response = await exchange({ method: 'DELETE', path, headers, body, ...calling(options) })
      if (response.status < 300) return readFields(response) as unknown as KubernetesObject
      if (response.status === 404) return undefined
      const deleted = { apiVersion, kind: ref.kind, metadata: ref }
      throw await maskedRefusal(statusError(response), deleted, ref => get('v1', ref, calling(options)))
    },
  }
}

/** Reads the index of OpenAPI v3 documents, where each URL contains the document's hash. */
const hashesIn = ({ paths }: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(asObject(paths)).map(([path, document]) => [
      path.replace(/^apis?\//, ''),
      String(asObject(document).serverRelativeURL),
    ]),
  )

/** The parts of a request that come from its caller. */
const calling = ({ signal, tally }: CallOptions) => ({ signal, ...(tally && { tally }) })

type Send = (request: ClusterRequest) => Promise<TransportResponse>

const listPages = async (
  exchange: Send,
  resource: ApiResource,
  query: ClusterListQuery,
  options: CallOptions,
  pageSize?: number,
): Promise<ClusterList> => {
  const { apiVersion, kind, labelSelector, fieldSelector, limit = Number.POSITIVE_INFINITY } = query
  const path = resourcePath(resource, query.namespace ?? '')
  const headers = { accept: query.metadataOnly ? `${METADATA_LIST_TYPE},${JSON_TYPE}` : JSON_TYPE }
  const items: KubernetesObject[] = []
  for (let next: string | undefined; ; ) {
    const parameters = new URLSearchParams({
      ...(pageSize && { limit: String(Math.min(pageSize, limit - items.length)) }),
      ...(next && { continue: next }),
      ...(labelSelector && { labelSelector }),
      ...(fieldSelector && { fieldSelector }),
    })
    const response = await exchange({ method: 'GET', path: `${path}?${parameters}`, headers, ...calling(options) })
    // The snapshot being paged through has expired on the server: list everything at once.
    if (response.status === 410 && next) return listPages(exchange, resource, query, options)
    if (response.status !== 200) throw statusError(response)
    const page = readList(response)
    for (const item of page.items) items.push({ ...item, apiVersion, kind })
    next = page.next
    if (!next || items.length >= limit) return { items, resourceVersion: page.resourceVersion }
  }
}

/** The path of a kind's collection; in all namespaces if `namespace` is empty. */
const resourcePath = ({ group, version, plural, namespaced }: ApiResource, namespace: string): string => {
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`
  return namespaced && namespace ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}` : `${root}/${plural}`
}

/** A namespaced object without a namespace has no URL; clients of Kubernetes see that as this 404. */
const collectionPath = (resource: ApiResource, namespace: string, name: string): string => {
  if (resource.namespaced && !namespace)
    throw new ClusterError('notFound', 'the server could not find the requested resource', {
      status: 404,
      reason: 'NotFound',
      cause: `${resource.kind} ${name} is namespaced, and has no namespace`,
    })
  return resourcePath(resource, namespace)
}

const writeQuery = (
  { fieldManager, dryRun, fieldValidation }: WriteOptions,
  more: Readonly<Record<string, string>> = {},
): string =>
  `?${new URLSearchParams({ fieldManager, ...(dryRun && { dryRun: 'All' }), ...(fieldValidation && { fieldValidation }), ...more })}`

/** The headers of a request on behalf of another user. */
const impersonationHeaders = (as: Impersonation | undefined): RequestHeaders => ({
  ...(as && { 'impersonate-user': as.user }),
  ...(as?.uid && { 'impersonate-uid': as.uid }),
  ...(as?.groups && { 'impersonate-group': [...as.groups] }),
  ...Object.fromEntries(
    Object.entries(as?.extra ?? {}).map(([key, values]) => [
      `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
      [...values],
    ]),
  ),
})

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
