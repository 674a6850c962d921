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

  return {
    find: async (apiVersion, kind, signal) => {
      const found = await abortable(
        search(kinds => kinds.get(keyOf(apiVersion, kind))),
        signal,
      )
      if (found) return found
      throw new ClusterError('noMatch', `no matches for kind "${kind}" in version "${apiVersion}"`)
    },
    findAnyVersion: (group, kind, signal) =>
      abortable(
        search(kinds => kinds.values().find(served => served.group === group && served.kind === kind)),
        signal,
      ),
    forget: () => {
      known = undefined
    },
  }
}

/** By apiVersion and kind; within a group the preferred version comes first. */
type Kinds = ReadonlyMap<string, ApiResource>

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`

const learn = async (get: Get): Promise<Kinds> => {
  const core = await ask(get, '/api')
  const groups = await ask(get, '/apis')
  const resources = [...(await coreResources(get, core)), ...(await groupResources(get, groups))]
  const kinds = new Map<string, ApiResource>()
  for (const resource of resources) {
    const apiVersion = resource.group ? `${resource.group}/${resource.version}` : resource.version
    const key = keyOf(apiVersion, resource.kind)
    if (!kinds.has(key)) kinds.set(key, resource)
  }
  return kinds
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

const coreResources = async (get: Get, answer: unknown): Promise<readonly ApiResource[]> => {
  if (isAggregated(answer)) return aggregatedResources(answer)
  const { versions = [] } = answer as { versions?: readonly string[] }
  return (await Promise.all(versions.map(version => legacyResources(get, '', version)))).flat()
}

const groupResources = async (get: Get, answer: unknown): Promise<readonly ApiResource[]> => {
  if (isAggregated(answer)) return aggregatedResources(answer)
  const { groups = [] } = answer as { groups?: readonly LegacyGroup[] }
  const versions = groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ name, version })))
  return (await Promise.all(versions.map(({ name, version }) => legacyResources(get, name, version)))).flat()
}

interface LegacyGroup {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
}

/** A group version whose server is down answers with an error: its kinds are unknown, the others are not. */
const legacyResources = async (get: Get, group: string, version: string): Promise<readonly ApiResource[]> => {
  const response = await get(group ? `/apis/${group}/${version}` : `/api/${version}`, 'application/json')
  if (response.status !== 200) return []
  const { resources = [] } = JSON.parse(response.body) as { resources?: readonly LegacyResource[] }
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({ group, version, kind, plural: name, namespaced, verbs }))
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

const aggregatedResources = ({ items }: Aggregated): readonly ApiResource[] =>
  items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ resource, responseKind, scope, verbs }) => ({
        group: metadata?.name ?? '',
        version,
        kind: responseKind?.kind ?? '',
        plural: resource,
        namespaced: scope === 'Namespaced',
        verbs,
      })),
    ),
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
