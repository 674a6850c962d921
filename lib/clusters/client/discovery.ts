import { groupOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { abortable } from './abortable.ts'
import { readFields } from './answers.ts'
import { type ApiResource, ClusterError } from './client.ts'
import { type DiscoveryRequest, discoverKinds, keyOf, type ServedKinds } from './served-kinds.ts'
import { statusError } from './status-error.ts'

/** What kinds a cluster serves: learned with two requests, kept, and learned anew when a kind is asked for in vain. */
export interface Discovery {
  /** Fails with `noMatch` when the cluster does not serve the kind. */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ApiResource>
  /** The kind in whatever version the cluster prefers; undefined when it serves none. */
  findAnyVersion(group: string, kind: string, signal?: AbortSignal): Promise<ApiResource | undefined>
  /** Every kind once, as the cluster serves it now. Fails with `server` when a group's server does not answer. */
  all(signal?: AbortSignal): Promise<readonly ApiResource[]>
  /** What the server calls its version. */
  serverVersion(signal?: AbortSignal): Promise<string>
  /** Every `group/version` and `group/version/Kind`, those that could be learned; `fresh` asks the cluster. */
  versions(fresh: boolean, signal?: AbortSignal): Promise<readonly string[]>
  /** The next question asks the cluster. */
  forget(): void
}

/** Many callers that miss one kind (its CRD is not there yet) must not make one request each. */
const MIN_REFRESH_INTERVAL_MS = 250

export const discovery = (ask: DiscoveryRequest, clock: Pick<Clock, 'monotonic'>): Discovery => {
  let known: Promise<ServedKinds> | undefined
  let learnedAt = Number.NEGATIVE_INFINITY
  let version: Promise<string> | undefined

  const kinds = (): Promise<ServedKinds> => known ?? learnAnew()
  const learnAnew = (): Promise<ServedKinds> => {
    learnedAt = clock.monotonic()
    // Without the asker's signal: others wait for the same answer. The connection's own timeout bounds it.
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

  /** That a kind is not served is only known when its group could be asked: an extension server may be down. */
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
    serverVersion: async signal => {
      const asked = version ?? askVersion()
      version = asked
      asked.catch(() => {
        if (version === asked) version = undefined
      })
      return abortable(asked, signal)
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
