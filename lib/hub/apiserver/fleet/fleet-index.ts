import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '../../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import { ApiError, type Hub } from '../../store/hub.ts'
import type { Snapshot, StoredIndex } from './stored-index.ts'

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
  /** Stores what is known of kinds, if a process that begins later would have to read much without it. Resolves to the kinds that it has stored. */
  store(kinds: readonly Kind[]): Promise<readonly Kind[]>
}

/** In DynamoDB 1,000 units are less than a megabyte of each shard, which is the most that one request reads. */
const pageSize = 1_000

/** How long objects are kept after the last report. */
const keptMs = 10 * 60_000

/** A fleet of so many objects is stored, each kind after so many changes; without them, before changes leave the log of a platform. */
const storedFrom = { objects: 1_000, changes: 200, ageMs: 12 * 60 * 60_000 }

/** Where a new process begins, instead of reading all objects. */
export interface Beginning<T> {
  readonly stored: StoredIndex<T>
  readonly clock: Pick<Clock, 'now'>
}

/** `reduce` returns what is kept of an object. */
export const fleetIndex = <T>(
  hub: Pick<Hub, 'pages' | 'watch'>,
  reduce: (object: KubernetesObject) => T,
  beginning?: Beginning<T>,
): FleetIndex<T> => {
  const kept = new Map<string, Known<T>>()
  const latest = new Map<string, Reading<T>>()
  let forgetting: NodeJS.Timeout | undefined

  const refreshed = async (kind: Kind): Promise<IndexedKind<T>> => {
    const key = keyOf(kind)
    const known = kept.get(key) ?? restored(await beginning?.stored.load(kind))
    kept.delete(key)
    const current = known && (await follow(hub, kind, known, reduce)) ? known : await load(hub, kind, reduce)
    kept.set(key, current)
    return current
  }

  /** Callers share a reading that has not begun; one that has may miss what was committed before their call. */
  const read = (kind: Kind): Promise<IndexedKind<T>> => {
    forgetting ??= setTimeout(() => kept.clear(), keptMs).unref()
    forgetting.refresh()
    const key = keyOf(kind)
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
  }

  const storeIfDue = async (kind: Kind, { stored, clock }: Beginning<T>): Promise<boolean> => {
    const known = kept.get(keyOf(kind))
    const now = clock.now()
    if (!known || (known.unstored < storedFrom.changes && now - known.storedAt < storedFrom.ageMs)) return false
    const objects = [...known.byNamespace].flatMap(([namespace, all]) =>
      [...all].map(([name, object]) => [namespace, name, object] as const),
    )
    Object.assign(known, { unstored: 0, storedAt: now })
    try {
      await stored.store(kind, { version: known.version, storedAt: now, objects })
    } catch (error) {
      kept.delete(keyOf(kind)) // it does not count as stored
      throw error
    }
    return true
  }

  return {
    read,
    store: async kinds => {
      const all = await Promise.all(kinds.map(read))
      const isLarge = all.reduce((sum, one) => sum + sizeOf(one), 0) >= storedFrom.objects
      const stored: Kind[] = []
      // One at a time: each is in memory as text while it is stored.
      if (beginning && isLarge) for (const kind of kinds) if (await storeIfDue(kind, beginning)) stored.push(kind)
      return stored
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
  /** The number of changes that no snapshot has. */
  unstored: number
  /** When the snapshot was stored that it began with, or that it became; milliseconds since the epoch. */
  storedAt: number
}

const keyOf = ({ group, kind }: Kind): string => `${group}/${kind}`

const sizeOf = ({ byNamespace }: IndexedKind<unknown>): number =>
  [...byNamespace.values()].reduce((sum, { size }) => sum + size, 0)

const restored = <T>(snapshot: Snapshot<T> | undefined): Known<T> | undefined => {
  if (!snapshot) return undefined
  const { version, storedAt, objects } = snapshot
  const known: Known<T> = { byNamespace: new Map(), version, storedAt, unstored: 0 }
  for (const [namespace, name, object] of objects) put(known, { namespace, name }, object)
  return known
}

const load = async <T>(
  hub: Pick<Hub, 'pages'>,
  { group, kind }: Kind,
  reduce: (object: KubernetesObject) => T,
): Promise<Known<T>> => {
  const known: Known<T> = { byNamespace: new Map(), version: '', unstored: Number.POSITIVE_INFINITY, storedAt: 0 }
  for await (const { items, resourceVersion } of hub.pages({ group, kind, pageSize })) {
    for (const { object } of items) put(known, object.metadata, reduce(object))
    known.version = resourceVersion
    await nextTurn()
  }
  return known
}

/** Fewer changes than these are read in a moment, however few objects there are. */
const fewChanges = 1_000

/** Resolves to false if changes are no longer in the log, or if there are more of them than objects: all objects are read faster then. */
const follow = async <T>(
  hub: Pick<Hub, 'watch'>,
  { group, kind }: Kind,
  known: Known<T>,
  reduce: (object: KubernetesObject) => T,
): Promise<boolean> => {
  const { signal } = new AbortController()
  let left = Math.max(fewChanges, sizeOf(known))
  try {
    for await (const { type, object } of hub.watch({ group, kind, after: known.version, signal, untilNow: true })) {
      if (left-- === 0) return false
      if (type === 'DELETED') known.byNamespace.get(object.metadata.namespace ?? '')?.delete(object.metadata.name)
      else put(known, object.metadata, reduce(object))
      known.version = object.metadata.resourceVersion ?? known.version
      known.unstored++
    }
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'Expired') return false
    throw error
  }
}

const put = <T>(
  { byNamespace }: Known<T>,
  { namespace = '', name }: Pick<KubernetesObject['metadata'], 'namespace' | 'name'>,
  object: T,
): void => {
  const objects = byNamespace.get(namespace) ?? new Map<string, T>()
  objects.set(name, object)
  byNamespace.set(namespace, objects)
}
