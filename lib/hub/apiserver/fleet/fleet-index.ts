import { setImmediate as nextTurn } from 'node:timers/promises'
import { trimmed } from '../../../foundations/fleet/trimmed.ts'
import type { Kind } from '../../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { ApiError, type Hub } from '../../store/hub.ts'

/** The objects of one kind by namespace and name ('' for cluster-scoped ones), trimmed to what reports on a fleet need. */
export interface IndexedKind {
  readonly byNamespace: ReadonlyMap<string, ReadonlyMap<string, KubernetesObject>>
  /** Another one after each change. */
  readonly version: string
}

/** The fleet's objects in memory: a report reads only what has changed since the last one. */
export interface FleetIndex {
  /** Includes everything that was committed before the call. */
  read(kind: Kind): Promise<IndexedKind>
}

/** How long objects are kept after the last report. */
const keptMs = 10 * 60_000

export const fleetIndex = (hub: Pick<Hub, 'pages' | 'watch'>): FleetIndex => {
  const kept = new Map<string, Known>()
  const latest = new Map<string, Reading>()
  let forgetting: NodeJS.Timeout | undefined

  const refreshed = async (kind: Kind): Promise<IndexedKind> => {
    const key = `${kind.group}/${kind.kind}`
    const known = kept.get(key)
    try {
      if (known) await follow(hub, kind, known)
      else kept.set(key, await load(hub, kind))
    } catch (error) {
      kept.delete(key)
      if (!(error instanceof ApiError && error.reason === 'Expired') || !known) throw error
      kept.set(key, await load(hub, kind))
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
      const reading: Reading = {
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

interface Reading {
  hasBegun: boolean
  readonly result: Promise<IndexedKind>
}

interface Known extends IndexedKind {
  readonly byNamespace: Map<string, Map<string, KubernetesObject>>
  version: string
}

const load = async (hub: Pick<Hub, 'pages'>, { group, kind }: Kind): Promise<Known> => {
  const known: Known = { byNamespace: new Map(), version: '' }
  for await (const { items, resourceVersion } of hub.pages({ group, kind })) {
    for (const { object } of items) put(known, object)
    known.version = resourceVersion
    await nextTurn()
  }
  return known
}

const follow = async (hub: Pick<Hub, 'watch'>, { group, kind }: Kind, known: Known): Promise<void> => {
  const { signal } = new AbortController()
  for await (const { type, object } of hub.watch({ group, kind, after: known.version, signal, untilNow: true })) {
    if (type === 'DELETED') known.byNamespace.get(object.metadata.namespace ?? '')?.delete(object.metadata.name)
    else put(known, object)
    known.version = object.metadata.resourceVersion ?? known.version
  }
}

const put = ({ byNamespace }: Known, object: KubernetesObject): void => {
  const { namespace = '', name } = object.metadata
  const objects = byNamespace.get(namespace) ?? new Map<string, KubernetesObject>()
  objects.set(name, trimmed(object))
  byNamespace.set(namespace, objects)
}
