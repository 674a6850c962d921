import type { ClusterClient, ClusterList, ClusterListQuery } from '../../clusters/client/client.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import type { References } from '../../hub/references/references.ts'
import type { SharedReads } from './reconciler.ts'
import { withoutWrites } from './without-writes.ts'

/**
 * Caches the reads of one visit: objects of the hub that several specs refer to, and lists of a cluster. A list by labels is widened
 * to all objects that have these labels, whatever their values, so that one list serves all owners. Writes are refused,
 * except dry runs. Requests continue until the visit's own signal aborts: other dry runs may wait for the same response.
 */
export const sharedReads = (signal: AbortSignal): SharedReads => {
  const once = memory()
  const references = (given: References): References => ({
    ...given,
    local: (referrer, { group, kind }, name) => {
      const key = `local ${group} ${kind} ${referrer.metadata.namespace} ${name}`
      return once(key, () => given.local(referrer, { group, kind }, name))
    },
    anywhere: (referrer, { group, kind }, place, settings) => {
      // The referrer's namespace decides whether it may be read.
      const key = `anywhere ${group} ${kind} ${referrer.metadata.namespace} ${place.namespace} ${place.name}`
      return once(key, () => given.anywhere(referrer, { group, kind }, place, settings))
    },
    ofTarget: target => once(`target ${describeTarget(target.reference)}`, () => given.ofTarget(target)),
    ownNamespace: object => once(`namespace ${object.metadata.namespace}`, () => given.ownNamespace(object)),
    clustersWith: access => once(`clusters ${describeTarget(access)}`, () => given.clustersWith(access)),
  })

  const clusters = new Map<object, Map<string, ClusterClient>>()
  const cluster = (given: ClusterClient): ClusterClient => {
    if (!given.access) return sharedCluster(given)
    const { connection, user } = given.access
    const users = clusters.get(connection) ?? new Map<string, ClusterClient>()
    clusters.set(connection, users)
    const shared = users.get(user) ?? sharedCluster(given)
    users.set(user, shared)
    return shared
  }

  const sharedCluster = (given: ClusterClient): ClusterClient => {
    const once = memory()
    const listed = (query: ClusterListQuery): Promise<ClusterList> =>
      once(`list ${JSON.stringify(query)}`, () => given.list(query, { signal }))
    return {
      ...withoutWrites(given),
      sharesLists: true,
      list: async query => {
        const labels = exactLabelsIn(query.labelSelector)
        if (!labels) return listed(query)
        const wide = await listed({ ...query, labelSelector: Object.keys(labels).join(',') })
        return { ...wide, items: wide.items.filter(item => hasLabels(item, labels)) }
      },
      get: (apiVersion, ref, options = {}) =>
        once(`get ${JSON.stringify([apiVersion, ref, options.metadataOnly])}`, () =>
          given.get(apiVersion, ref, { ...options, signal }),
        ),
    }
  }

  return { references, cluster, once: (key, read) => once(`other ${key}`, () => read(signal)) }
}

/** The reads of a single dry run, which shares them with no other: lists are not widened. Writes are refused, except dry runs. */
export const unsharedReads = (signal: AbortSignal): SharedReads => {
  const once = memory()
  return {
    references: given => given,
    cluster: withoutWrites,
    once: (key, read) => once(key, () => read(signal)),
  }
}

const memory = () => {
  const known = new Map<string, Promise<unknown>>()
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const made = (known.get(key) as Promise<T> | undefined) ?? read()
    known.set(key, made)
    made.catch(() => {}) // reported to those who await it
    return made
  }
}

/** The labels of a selector that has only `key=value` pairs; undefined for any other. */
const exactLabelsIn = (selector: string | undefined): Readonly<Record<string, string>> | undefined => {
  const pairs = selector?.split(',').map(pair => pair.split('='))
  if (!pairs?.every(pair => pair.length === 2 && pair[0] && !pair[0].endsWith('!'))) return undefined
  return Object.fromEntries(pairs)
}

const hasLabels = ({ metadata }: KubernetesObject, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)
