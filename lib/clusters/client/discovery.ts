import { groupOf } from '../../foundations/kinds/object.ts'
import { abortable } from '../../foundations/rules/abortable.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { readFields } from './answers.ts'
import { type ApiResource, ClusterError } from './client.ts'
import { type DiscoveryRequest, discoverKinds, keyOf, type ServedKinds } from './served-kinds.ts'
import { statusError } from './status-error.ts'

/** The kinds that a cluster serves: discovered with two requests, cached, and rediscovered when an unknown kind is requested. */
export interface Discovery {
  /** Fails with `noMatch` if the cluster does not serve the kind. */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ApiResource>
  /** The kind in the version that the cluster prefers; undefined if it does not serve the kind. */
  findAnyVersion(group: string, kind: string, signal?: AbortSignal): Promise<ApiResource | undefined>
  /** All kinds, as currently served. Fails with `server` if a group's server does not answer. */
  all(signal?: AbortSignal): Promise<readonly ApiResource[]>
  /** The server's version, as it reports it; `fresh` bypasses the cache. */
  serverVersion(fresh: boolean, signal?: AbortSignal): Promise<string>
  /** All `group/version` and `group/version/Kind` that could be discovered; `fresh` bypasses the cache. */
  versions(fresh: boolean, signal?: AbortSignal): Promise<readonly string[]>
  /** Drops the cache. */
  forget(): void
}

/** Many callers that miss the same kind (its CRD does not exist yet) must not send a request each. */
const MIN_REFRESH_INTERVAL_MS = 250

export const discovery = (ask: DiscoveryRequest, clock: Pick<Clock, 'monotonic'>): Discovery => {
  let known: Promise<ServedKinds> | undefined
  let learnedAt = Number.NEGATIVE_INFINITY
  let version: Promise<string> | undefined

  const kinds = (): Promise<ServedKinds> => known ?? learnAnew()
  const learnAnew = (): Promise<ServedKinds> => {
    learnedAt = clock.monotonic()
    // Without the caller's signal, as others wait for the same answer. The connection's own timeout applies.
    const learning = discoverKinds(ask)
    known = learning
    learning.catch(() => {
      if (known === learning) known = undefined
    })
    return learning
  }
  const search = async <T>(find: (kinds: ServedKinds) => T | undefined): Promise<T | undefined> => {
    const fresh = known === undefined
    const found = find(await kinds())
    if (found !== undefined || fresh || clock.monotonic() - learnedAt < MIN_REFRESH_INTERVAL_MS) return found
    return find(await learnAnew())
  }

  /** A kind is known to be unserved only if its group answered: an extension server may be down. */
  const refuseToGuess = async (group: string): Promise<void> => {
    if ((await kinds()).unavailable.has(group))
      throw new ClusterError('server', `unable to retrieve the complete list of server APIs: ${group} is not available`)
  }

  const askVersion = async (): Promise<string> => {
    const response = await ask('/version', 'application/json')
    if (response.status !== 200) throw statusError(response)
    return String(readFields(response).gitVersion ?? '')
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
    all: async signal => {
      const { served, unavailable } = await abortable(learnAnew(), signal)
      if (unavailable.size > 0)
        throw new ClusterError(
          'server',
          `unable to retrieve the complete list of server APIs: ${[...unavailable].join(', ')} is not available`,
        )
      const kinds = Map.groupBy(served.values(), ({ group, kind }) => `${group}/${kind}`)
      return [...kinds.values()].map(([preferred]) => preferred!)
    },
    serverVersion: async (fresh, signal) => {
      const pending = (fresh ? undefined : version) ?? askVersion()
      version = pending
      pending.catch(() => {
        if (version === pending) version = undefined
      })
      return abortable(pending, signal)
    },
    versions: async (fresh, signal) => {
      const { served } = await abortable(fresh ? learnAnew() : kinds(), signal)
      const keys = [...served.keys()]
      return [...new Set(keys.map(key => key.split('|')[0]!)), ...keys.map(key => key.replace('|', '/'))]
    },
    forget: () => {
      known = undefined
      version = undefined
    },
  }
}
