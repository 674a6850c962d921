import { groupOf } from '../kinds/object.ts'
import type { Clock } from '../ports/clock.ts'
import { type ApiResource, ClusterError } from './client.ts'
import { statusError } from './status-error.ts'
import type { TransportResponse } from './transport.ts'

/** What kinds a cluster serves: learned with two requests, kept, and learned anew when a kind is asked for in vain. */
export interface Discovery {
  /** Fails with `noMatch` when the cluster does not serve the kind. */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ApiResource>
  /** The kind in whatever version the cluster prefers; undefined when it serves none. */
  findAnyVersion(group: string, kind: string, signal?: AbortSignal): Promise<ApiResource | undefined>
  /** The next question asks the cluster. */
  forget(): void
}

type Get = (path: string, accept: string, signal?: AbortSignal) => Promise<TransportResponse>

/** Many callers that miss one kind (its CRD is not there yet) must not make one request each. */
const MIN_REFRESH_INTERVAL_MS = 250

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

export const discovery = (get: Get, clock: Pick<Clock, 'now'>): Discovery => {
  let known: Promise<Kinds> | undefined
  let learnedAt = Number.NEGATIVE_INFINITY

  const kinds = (): Promise<Kinds> => known ?? learnAnew()
  const learnAnew = (): Promise<Kinds> => {
    learnedAt = clock.now()
    // Without the asker's signal: others wait for the same answer. The connection's own timeout bounds it.
    const learning = learn(get)
    known = learning
    learning.catch(() => {
      if (known === learning) known = undefined
    })
    return learning
  }
  const search = async <T>(find: (kinds: Kinds) => T | undefined): Promise<T | undefined> => {
    const fresh = known === undefined
    const found = find(await kinds())
    if (found !== undefined || fresh || clock.now() - learnedAt < MIN_REFRESH_INTERVAL_MS) return found
    return find(await learnAnew())
  }

  /** That a kind is not served is only known when its group could be asked: an extension server may be down. */
  const refuseToGuess = async (group: string): Promise<void> => {
    if ((await kinds()).unavailable.has(group))
      throw new ClusterError('server', `unable to retrieve the complete list of server APIs: ${group} is not available`)
  }

  return {
    find: async (apiVersion, kind, signal) => {
      const key = keyOf(apiVersion, kind)
      const found = await abortable(
        search(({ served }) => served.get(key)),
        signal,
      )
      if (found) return found
      await refuseToGuess(groupOf(apiVersion))
      throw new ClusterError('noMatch', `no matches for kind "${kind}" in version "${apiVersion}"`)
    },
    findAnyVersion: async (group, kind, signal) => {
      const found = await abortable(
        search(({ served }) => served.values().find(resource => resource.group === group && resource.kind === kind)),
        signal,
      )
      if (!found) await refuseToGuess(group)
      return found
    },
    forget: () => {
      known = undefined
    },
  }
}

interface Kinds {
  /** By apiVersion and kind; within a group the preferred version comes first. */
  readonly served: ReadonlyMap<string, ApiResource>
  /** Groups of which not all is known, because their servers did not answer. */
  readonly unavailable: ReadonlySet<string>
}

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`

const learn = async (get: Get): Promise<Kinds> => {
  const core = await ask(get, '/api')
  const groups = await ask(get, '/apis')
  const versions = [...(await coreVersions(get, core)), ...(await groupVersions(get, groups))]
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

const ask = async (get: Get, path: string): Promise<unknown> => {
  try {
    const response = await get(`${path}?timeout=30s`, `${AGGREGATED},application/json`)
    if (response.status !== 200) throw statusError(response)
    return JSON.parse(response.body)
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    const { code, message, status, reason } = error
    throw new ClusterError(code, `failed to get server groups: ${message}`, { status, reason, cause: error })
  }
}

const coreVersions = async (get: Get, answer: unknown): Promise<readonly GroupVersion[]> => {
  if (isAggregated(answer)) return aggregatedVersions(answer)
  const { versions = [] } = answer as { versions?: readonly string[] }
  return Promise.all(versions.map(version => legacyVersion(get, '', version)))
}

const groupVersions = async (get: Get, answer: unknown): Promise<readonly GroupVersion[]> => {
  if (isAggregated(answer)) return aggregatedVersions(answer)
  const { groups = [] } = answer as { groups?: readonly LegacyGroup[] }
  return Promise.all(
    groups.flatMap(({ name, versions }) => versions.map(({ version }) => legacyVersion(get, name, version))),
  )
}

interface LegacyGroup {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
}

const legacyVersion = async (get: Get, group: string, version: string): Promise<GroupVersion> => {
  const response = await get(group ? `/apis/${group}/${version}` : `/api/${version}`, 'application/json')
  if (response.status !== 200) return { group, version }
  const { resources = [] } = JSON.parse(response.body) as { resources?: readonly LegacyResource[] }
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

const abortable = async <T>(work: Promise<T>, signal?: AbortSignal): Promise<T> => {
  if (!signal) return work
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
