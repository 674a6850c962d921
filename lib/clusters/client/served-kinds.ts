import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import { type ApiResource, ClusterError } from './client.ts'
import { notKubernetes, readFields } from './responses.ts'
import { statusError } from './status-error.ts'
import type { TransportResponse } from './transport.ts'

export type DiscoveryRequest = (path: string, accept: string) => Promise<TransportResponse>

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The kinds that a cluster serves. */
export interface ServedKinds {
  /** By apiVersion and kind; within a group the preferred version comes first. */
  readonly served: ReadonlyMap<string, ApiResource>
  /** Groups whose servers did not respond, so that their kinds are incomplete. */
  readonly unavailable: ReadonlySet<string>
}

/** The key of a kind in one version, `apps/v1|Deployment`. */
export const keyOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`

/** Discovers by aggregated discovery or, on older servers, group by group. Fails with a ClusterError. */
export const discoverKinds = async (get: DiscoveryRequest): Promise<ServedKinds> => {
  const [core, groups] = await Promise.all([getDocument(get, '/api'), getDocument(get, '/apis')])
  const versions = [...(await coreVersions(get, core)), ...(await groupVersions(get, groups))]
  const served = new Map<string, ApiResource>()
  for (const { group, version, resources } of versions)
    for (const resource of resources ?? []) {
      const key = keyOf(group ? `${group}/${version}` : version, resource.kind)
      if (!served.has(key)) served.set(key, { group, version, ...resource })
    }
  return { served, unavailable: new Set(versions.filter(({ resources }) => !resources).map(({ group }) => group)) }
}

/** One version of a group; without resources if its server did not respond. */
interface GroupVersion {
  readonly group: string
  readonly version: string
  readonly resources?: readonly Omit<ApiResource, 'group' | 'version'>[]
}

/** A response, and its parsed content. */
interface Document {
  readonly response: TransportResponse
  readonly fields: JsonObject
}

const getDocument = async (get: DiscoveryRequest, path: string): Promise<Document> => {
  try {
    const response = await get(`${path}?timeout=30s`, `${AGGREGATED},application/json`)
    if (response.status !== 200) throw statusError(response)
    return { response, fields: readFields(response) }
  } catch (error) {
    throw asDiscoveryError(error)
  }
}

/** client-go's wording. */
const asDiscoveryError = (error: unknown): unknown => {
  if (!(error instanceof ClusterError)) return error
  const { code, message, status, reason, outage } = error
  return new ClusterError(code, `failed to get server groups: ${message}`, { status, reason, outage, cause: error })
}

const coreVersions = async (get: DiscoveryRequest, document: Document): Promise<readonly GroupVersion[]> => {
  if (isAggregated(document)) return aggregatedVersions(document)
  const versions = listOf(document, 'versions', isText)
  return Promise.all(versions.map(version => legacyVersion(get, '', version)))
}

const groupVersions = async (get: DiscoveryRequest, document: Document): Promise<readonly GroupVersion[]> => {
  if (isAggregated(document)) return aggregatedVersions(document)
  const versions = listOf(document, 'groups', isObject).flatMap(({ name, versions }) =>
    listIn(document, versions, isObject).map(({ version }) => ({ group: String(name), version: String(version) })),
  )
  return Promise.all(versions.map(({ group, version }) => legacyVersion(get, group, version)))
}

const legacyVersion = async (get: DiscoveryRequest, group: string, version: string): Promise<GroupVersion> => {
  const response = await get(group ? `/apis/${group}/${version}` : `/api/${version}`, 'application/json')
  if (response.status !== 200) return { group, version }
  const resources = listOf({ response, fields: readFields(response) }, 'resources', isObject)
  return {
    group,
    version,
    resources: resources
      .filter(({ name }) => !String(name).includes('/'))
      .map(({ name, kind, namespaced, verbs }) => ({
        kind: String(kind),
        plural: String(name),
        namespaced: namespaced === true,
        verbs: verbsOf(verbs),
      })),
  }
}

const isAggregated = ({ fields }: Document): boolean => fields.kind === 'APIGroupDiscoveryList'

/**
 * Reads an apidiscovery.k8s.io/v2 APIGroupDiscoveryList. A stale entry may be incomplete, but the kinds that it lists
 * were served.
 */
const aggregatedVersions = (document: Document): readonly GroupVersion[] =>
  listOf(document, 'items', isObject).flatMap(({ metadata, versions = [] }) =>
    listIn(document, versions, isObject).flatMap(({ version, freshness, resources = [] }) => {
      const at = { group: isObject(metadata) ? String(metadata.name ?? '') : '', version: String(version) }
      const known = listIn(document, resources, isObject).map(({ resource, responseKind, scope, verbs }) => ({
        kind: isObject(responseKind) ? String(responseKind.kind ?? '') : '',
        plural: String(resource),
        namespaced: scope === 'Namespaced',
        verbs: verbsOf(verbs),
      }))
      return [{ ...at, resources: known }, ...(freshness === 'Stale' ? [at] : [])]
    }),
  )

const isText = (value: unknown): value is string => typeof value === 'string'

const verbsOf = (verbs: unknown): readonly string[] => (Array.isArray(verbs) ? verbs.filter(isText) : [])

const listOf = <T>(document: Document, name: string, is: (value: unknown) => value is T): readonly T[] =>
  listIn(document, document.fields[name], is)

/** A list whose items are all of one kind; anything else is not a discovery document. */
const listIn = <T>({ response }: Document, value: unknown, is: (value: unknown) => value is T): readonly T[] => {
  const items = value === null ? [] : value // Go writes an empty list as null
  if (!Array.isArray(items) || !items.every(is)) throw asDiscoveryError(notKubernetes(response))
  return items
}
