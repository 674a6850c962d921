import { type ApiResource, ClusterError } from './client.ts'
import { parseBody, statusError } from './status-error.ts'
import type { TransportResponse } from './transport.ts'

export type Ask = (path: string, accept: string) => Promise<TransportResponse>

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** What a cluster serves. */
export interface Kinds {
  /** By apiVersion and kind; within a group the preferred version comes first. */
  readonly served: ReadonlyMap<string, ApiResource>
  /** Groups of which not all is known, because their servers did not answer. */
  readonly unavailable: ReadonlySet<string>
}

export const keyOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`

/** Asks a cluster, by the aggregated discovery or, of older servers, group by group. Fails with a ClusterError. */
export const learnKinds = async (ask: Ask): Promise<Kinds> => {
  const core = await document(ask, '/api')
  const groups = await document(ask, '/apis')
  const versions = [...(await coreVersions(ask, core)), ...(await groupVersions(ask, groups))]
  const served = new Map<string, ApiResource>()
  for (const { group, version, resources } of versions)
    for (const resource of resources ?? []) {
      const key = keyOf(group ? `${group}/${version}` : version, resource.kind)
      if (!served.has(key)) served.set(key, { group, version, ...resource })
    }
  return { served, unavailable: new Set(versions.filter(({ resources }) => !resources).map(({ group }) => group)) }
}

/** One version of a group; without resources when its server did not answer. */
interface GroupVersion {
  readonly group: string
  readonly version: string
  readonly resources?: readonly Omit<ApiResource, 'group' | 'version'>[]
}

const document = async (ask: Ask, path: string): Promise<unknown> => {
  try {
    const response = await ask(`${path}?timeout=30s`, `${AGGREGATED},application/json`)
    if (response.status !== 200) throw statusError(response)
    return parseBody(response)
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    const { code, message, status, reason } = error
    throw new ClusterError(code, `failed to get server groups: ${message}`, { status, reason, cause: error })
  }
}

const coreVersions = async (ask: Ask, answer: unknown): Promise<readonly GroupVersion[]> => {
  if (isAggregated(answer)) return aggregatedVersions(answer)
  const { versions = [] } = answer as { versions?: readonly string[] }
  return Promise.all(versions.map(version => legacyVersion(ask, '', version)))
}

const groupVersions = async (ask: Ask, answer: unknown): Promise<readonly GroupVersion[]> => {
  if (isAggregated(answer)) return aggregatedVersions(answer)
  const { groups = [] } = answer as { groups?: readonly LegacyGroup[] }
  return Promise.all(
    groups.flatMap(({ name, versions }) => versions.map(({ version }) => legacyVersion(ask, name, version))),
  )
}

interface LegacyGroup {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
}

const legacyVersion = async (ask: Ask, group: string, version: string): Promise<GroupVersion> => {
  const response = await ask(group ? `/apis/${group}/${version}` : `/api/${version}`, 'application/json')
  if (response.status !== 200) return { group, version }
  const { resources = [] } = parseBody(response) as { resources?: readonly LegacyResource[] }
  return {
    group,
    version,
    resources: resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced, verbs }) => ({ kind, plural: name, namespaced, verbs })),
  }
}

interface LegacyResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList. */
interface Aggregated {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly {
      readonly version: string
      readonly freshness?: 'Current' | 'Stale'
      readonly resources?: readonly {
        readonly resource: string
        readonly responseKind?: { readonly kind: string }
        readonly scope: 'Namespaced' | 'Cluster'
        readonly verbs: readonly string[]
      }[]
    }[]
  }[]
}

const isAggregated = (answer: unknown): answer is Aggregated =>
  (answer as { kind?: string }).kind === 'APIGroupDiscoveryList'

/** What is stale may be incomplete, but what it lists was served. */
const aggregatedVersions = ({ items }: Aggregated): readonly GroupVersion[] =>
  items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, freshness, resources = [] }) => {
      const group = metadata?.name ?? ''
      const known = resources.map(({ resource, responseKind, scope, verbs }) => ({
        kind: responseKind?.kind ?? '',
        plural: resource,
        namespaced: scope === 'Namespaced',
        verbs,
      }))
      return [{ group, version, resources: known }, ...(freshness === 'Stale' ? [{ group, version }] : [])]
    }),
  )
