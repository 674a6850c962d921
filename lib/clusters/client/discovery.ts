import { groupOf } from '../../foundations/kinds/object.ts'
import { abortable } from '../../foundations/rules/abortable.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ApiResource, type CallOptions, ClusterError } from './client.ts'
import { readFields } from './responses.ts'
import { discoverKinds, keyOf, type ServedKinds } from './served-kinds.ts'
import { statusError } from './status-error.ts'
import type { Tally } from './tally.ts'
import type { TransportResponse } from './transport.ts'

/**
 * The kinds that a cluster serves: discovered with two requests, cached, and rediscovered when an unknown kind is requested. Requests count for the
 * caller that causes them, though others wait for the same response.
 */
export interface Discovery {
  /** Fails with `noMatch` if the cluster does not serve the kind. */
  find(apiVersion: string, kind: string, options?: CallOptions): Promise<ApiResource>
  /** The kind in the version that the cluster prefers; undefined if it does not serve the kind. */
  findAnyVersion(group: string, kind: string, options?: CallOptions): Promise<ApiResource | undefined>
  /** All kinds, as currently served. Fails with `server` if a group's server does not respond. */
  all(options?: CallOptions): Promise<readonly ApiResource[]>
  /** The server's version, as it reports it; `fresh` bypasses the cache. */
  serverVersion(options: CallOptions & { readonly fresh?: boolean }): Promise<string>
  /** All `group/version` and `group/version/Kind` that could be discovered; `fresh` bypasses the cache. */
  versions(options: CallOptions & { readonly fresh?: boolean }): Promise<readonly string[]>
  /** Drops the cache. */
  forget(): void
}

/** Many callers that miss the same kind (its CRD does not exist yet) must not send a request each. */
const MIN_REFRESH_INTERVAL_MS = 250

/** Discovery over a connection. A response is kept until a kind is missing from it, or `forget`. */
export const discovery = (
  request: (path: string, accept: string, tally?: Tally) => Promise<TransportResponse>,
  clock: Pick<Clock, 'monotonic'>,
): Discovery => {
  let known: Promise<ServedKinds> | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY
  let version: Promise<string> | undefined

  const kinds = (tally?: Tally): Promise<ServedKinds> => known ?? refresh(tally)
  const refresh = (tally?: Tally): Promise<ServedKinds> => {
    refreshedAt = clock.monotonic()
    // Without the caller's signal, as others wait for the same response. The connection's own timeout applies.
    const refreshing = discoverKinds((path, accept) => request(path, accept, tally))
    known = refreshing
    refreshing.catch(() => {
      if (known === refreshing) known = undefined
    })
    return refreshing
  }
  const search = async <T>(find: (kinds: ServedKinds) => T | undefined, tally?: Tally): Promise<T | undefined> => {
    const fresh = known === undefined
    const found = find(await kinds(tally))
    if (found !== undefined || fresh || clock.monotonic() - refreshedAt < MIN_REFRESH_INTERVAL_MS) return found
    return find(await refresh(tally))
  }

  /** A kind is known to be unserved only if its group responded: an extension server may be down. */
  const requireAvailable = async (group: string): Promise<void> => {
    if ((await kinds()).unavailable.has(group))
      throw new ClusterError('server', `unable to retrieve the complete list of server APIs: ${group} is not available`)
  }

  const getVersion = async (tally?: Tally): Promise<string> => {
    const response = await request('/version', 'application/json', tally)
    if (response.status !== 200) throw statusError(response)
    return String(readFields(response).gitVersion ?? '')
  }

  return {
    find: async (apiVersion, kind, { signal, tally } = {}) => {
      const key = keyOf(apiVersion, kind)
      const found = await abortable(
        search(({ served }) => served.get(key), tally),
        signal,
      )
      if (found) return found
      await requireAvailable(groupOf(apiVersion))
      throw new ClusterError('noMatch', `no matches for kind "${kind}" in version "${apiVersion}"`)
    },
    findAnyVersion: async (group, kind, { signal, tally } = {}) => {
      const found = await abortable(
        search(
          ({ served }) => served.values().find(resource => resource.group === group && resource.kind === kind),
          tally,
        ),
        signal,
      )
      if (!found) await requireAvailable(group)
      return found
    },
    all: async ({ signal, tally } = {}) => {
      const { served, unavailable } = await abortable(refresh(tally), signal)
      if (unavailable.size > 0)
        throw new ClusterError(
          'server',
          `unable to retrieve the complete list of server APIs: ${[...unavailable].join(', ')} is not available`,
        )
      const kinds = Map.groupBy(served.values(), ({ group, kind }) => `${group}/${kind}`)
      return [...kinds.values()].map(([preferred]) => preferred!)
    },
    serverVersion: async ({ fresh = false, signal, tally }) => {
      const pending = (fresh ? undefined : version) ?? getVersion(tally)
      version = pending
      pending.catch(() => {
        if (version === pending) version = undefined
      })
      return abortable(pending, signal)
    },
    versions: async ({ fresh = false, signal, tally }) => {
      const { served } = await abortable(fresh ? refresh(tally) : kinds(tally), signal)
      const keys = [...served.keys()]
      return [...new Set(keys.map(key => key.split('|')[0]!)), ...keys.map(key => key.replace('|', '/'))]
    },
    forget: () => {
      known = undefined
      version = undefined
    },
  }
}
