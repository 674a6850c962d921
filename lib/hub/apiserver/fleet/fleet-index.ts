import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '../../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { ApiError, type Hub } from '../../store/hub.ts'

/** The objects of one kind by namespace and name ('' for cluster-scoped ones), each reduced to what reports need. */
export interface IndexedKind<T = KubernetesObject> {
  readonly byNamespace: ReadonlyMap<string, ReadonlyMap<string, T>>
  /** Another one after each change. */
  readonly version: string
}

/** The fleet's objects in memory: a report reads only what has changed since the last one. */
export interface FleetIndex<T = KubernetesObject> {
  /** Includes everything that was committed before the call. */
  read(kind: Kind): Promise<IndexedKind<T>>
}

/** In DynamoDB 1,000 units are less than a megabyte of each shard, which is the most that one request reads. */
const pageSize = 1_000

/** How long objects are kept after the last report. */
const keptMs = 10 * 60_000

/** `reduce` returns what is kept of an object. */
export const fleetIndex = <T>(
  hub: Pick<Hub, 'pages' | 'watch'>,
  reduce: (object: KubernetesObject) => T,
): FleetIndex<T> => {
  const kept = new Map<string, Known<T>>()
  const latest = new Map<string, Reading<T>>()
  let forgetting: NodeJS.Timeout | undefined

  const refreshed = async (kind: Kind): Promise<IndexedKind<T>> => {
    const key = `${kind.group}/${kind.kind}`
    const known = kept.get(key)
    try {
      if (known) await follow(hub, kind, known, reduce)
      else kept.set(key, await load(hub, kind, reduce))
    } catch (error) {
      kept.delete(key)
      if (!(error instanceof ApiError && error.reason === 'Expired') || !known) throw error
      kept.set(key, await load(hub, kind, reduce))
    }
    return kept.get(key)!
  }

  return {
    /** Callers share a reading that has not begun; one that has may miss what was committed before their call. */
    read: kind => {
      forgetting ??= setTimeout(() => kept.clear(), keptMs).unref()
      forgetting.refresh()
      const key = `${kind.group}/${kind.kind}`
      const before = latest.get(key)
      if (before && !before.hasBegun) return before.result
      const reading: Reading<T> = {
        hasBegun: false,
        result: Promise.resolve(before?.result)
          .catch(() => undefined)
          .then(() => {
            reading.hasBegun = true
            return refreshed(kind)
          }),
      }
      latest.set(key, reading)
      return reading.result
    },
  }
}

interface Reading<T> {
  hasBegun: boolean
  readonly result: Promise<IndexedKind<T>>
}

interface Known<T> extends IndexedKind<T> {
  readonly byNamespace: Map<string, Map<string, T>>
  version: string
}

const load = async <T>(
  hub: Pick<Hub, 'pages'>,
  { group, kind }: Kind,
  reduce: (object: KubernetesObject) => T,
): Promise<Known<T>> => {
  const known: Known<T> = { byNamespace: new Map(), version: '' }
  for await (const { items, resourceVersion } of hub.pages({ group, kind, pageSize })) {
    for (const { object } of items) put(known, object, reduce)
    known.version = resourceVersion
    await nextTurn()
  }
  return known
}

const follow = async <T>(
  hub: Pick<Hub, 'watch'>,
  { group, kind }: Kind,
  known: Known<T>,
  reduce: (object: KubernetesObject) => T,
): Promise<void> => {
  const { signal } = new AbortController()
  for await (const { type, object } of hub.watch({ group, kind, after: known.version, signal, untilNow: true })) {
    if (type === 'DELETED') known.byNamespace.get(object.metadata.namespace ?? '')?.delete(object.metadata.name)
    else put(known, object, reduce)
    known.version = object.metadata.resourceVersion ?? known.version
  }
}

const put = <T>({ byNamespace }: Known<T>, object: KubernetesObject, reduce: (object: KubernetesObject) => T): void => {
  const { namespace = '', name } = object.metadata
  const objects = byNamespace.get(namespace) ?? new Map<string, T>()
  objects.set(name, reduce(object))
  byNamespace.set(namespace, objects)
}
