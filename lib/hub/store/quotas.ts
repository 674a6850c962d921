/** ResourceQuotas: the maximum number of objects of a resource in a namespace. */
import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { quotaKeysOf, type ResourceQuota, wholeQuantity } from '../../foundations/kinds/resource-quota.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { forbidden } from './api-errors.ts'
import type { Reader } from './reader.ts'
import type { RecordWriter } from './record-writer.ts'
import { isStoreError } from './record-writer.ts'

export interface QuotaPorts {
  readonly reader: Reader
  readonly records: RecordWriter
  readonly kinds: () => KindRegistry
  readonly clock: Clock
  readonly onError: (ref: ObjectRef, error: unknown) => void
}

export interface QuotaKeeper {
  /** The same writer, with quotas enforced. */
  readonly records: RecordWriter
  /** Recomputes the usage of all quotas. */
  sweep(): Promise<void>
  /** Resolves when the counting triggered by earlier writes is done. */
  settled(): Promise<void>
}

const collection = { group: '', kind: 'ResourceQuota' }
/** Scopes select Pods: as in Kubernetes, a quota with scopes matches no other object. */
const isOfPods = ({ spec }: ResourceQuota): boolean =>
  (spec?.scopes ?? []).length > 0 || (spec?.scopeSelector?.matchExpressions ?? []).length > 0

/** How long to assume that a hub without quotas still has none, as another process may create one. */
const noneForMs = 5_000
const attempts = 50

/**
 * As in Kubernetes' admission, an object is charged to `status.used` before it is stored, by an update that fails on a conflict: of
 * concurrent creations, in one process or several, only as many succeed as the quota allows. Charges for objects that were not stored, or were
 * deleted, are returned by recounting.
 */
export const quotaKeeper = ({ reader, records, kinds, clock, onError }: QuotaPorts): QuotaKeeper => {
  /** Charged but not stored yet, so not included in a count. */
  const pending = new Map<string, number>()
  const recounts = new Map<string, Promise<void>>()
  const again = new Set<string>()
  let noneUntil = Number.NEGATIVE_INFINITY
  /** Namespaces in which this process has found quotas. */
  const limitedNamespaces = new Set<string>()

  const quotasIn = async (namespace: string): Promise<readonly ResourceQuota[]> => {
    if (clock.now() < noneUntil) return []
    const { items } = await reader.list<ResourceQuota>({ ...collection, namespace })
    if (items.length > 0) {
      limitedNamespaces.add(namespace)
      return items
    }
    limitedNamespaces.delete(namespace)
    const anywhere = await reader.list<ResourceQuota>({ ...collection, limit: 1 })
    if (anywhere.items.length === 0) noneUntil = clock.now() + noneForMs
    return []
  }

  const pendingKey = ({ namespace, name }: ObjectRef, key: string) => `${namespace}/${name}/${key}`
  /** Counts until the returned function is called. */
  const countAsPending = (quota: ObjectRef, keys: readonly string[]): (() => void) => {
    const add = (count: number) => {
      for (const key of keys) {
        const left = (pending.get(pendingKey(quota, key)) ?? 0) + count
        if (left === 0) pending.delete(pendingKey(quota, key))
        else pending.set(pendingKey(quota, key), left)
      }
    }
    add(1)
    return () => add(-1)
  }

  /** Charges one more object to a quota, and returns the function to call once it is stored. Fails with Forbidden if the quota is exceeded. */
  const charge = async (
    quota: ObjectRef,
    kind: Kind,
    name: string,
    keys: readonly string[],
  ): Promise<(() => void) | undefined> => {
    let isCounted = false
    for (let attempt = 1; ; attempt++) {
      const held = await reader.hold(quota)
      if (!held) return undefined
      const object = held.object as ResourceQuota
      const hard = object.spec?.hard ?? {}
      const limited = isOfPods(object) ? [] : keys.filter(key => key in hard)
      if (limited.length === 0) return undefined
      if (!isSameJson(object.status?.hard ?? {}, hard)) {
        await recount(quota)
        continue
      }
      const used = object.status?.used ?? {}
      const usedOf = (key: string) => wholeQuantity(used[key] ?? '0') ?? 0
      const exceeded = limited.filter(key => usedOf(key) + 1 > (wholeQuantity(hard[key]!) ?? 0))
      if (exceeded.length > 0 && !isCounted) {
        // Objects may have been deleted since the last count.
        await recount(quota)
        isCounted = true
        continue
      }
      if (exceeded.length > 0) {
        const listed = (value: (key: string) => string | number) =>
          exceeded.map(key => `${key}=${value(key)}`).join(',')
        throw forbidden(
          kind,
          name,
          `exceeded quota: ${quota.name}, requested: ${listed(() => 1)}, used: ${listed(usedOf)}, limited: ${listed(key => hard[key]!)}`,
        )
      }
      const charged = Object.fromEntries(limited.map(key => [key, String(usedOf(key) + 1)]))
      const next: ResourceQuota = { ...object, status: { ...object.status, used: { ...used, ...charged } } }
      const release = countAsPending(quota, limited)
      try {
        await records.replace(held, next, {})
        return release
      } catch (error) {
        release()
        if (!isStoreError(error, 'conflict') && !isStoreError(error, 'missing')) throw error
        if (attempt === attempts) throw error
      }
    }
  }

  /** The number of existing objects, and of those about to be stored. */
  const countOf = async (kind: Kind, quota: ObjectRef, key: string): Promise<number> => {
    let count = pending.get(pendingKey(quota, key)) ?? 0
    for await (const { items } of reader.pages({ group: kind.group, kind: kind.kind, namespace: quota.namespace }))
      count += items.length
    return count
  }

  /** Sets a quota's usage to the actual count. */
  const recount = async (quota: ObjectRef): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const held = await reader.hold(quota)
      if (!held) return
      const object = held.object as ResourceQuota
      const hard = object.spec?.hard ?? {}
      const used: Record<string, string> = {}
      for (const kind of kinds().kinds.filter(({ namespaced }) => namespaced)) {
        const keys = quotaKeysOf(kind).filter(key => key in hard)
        if (keys.length === 0) continue
        const count = isOfPods(object) ? 0 : await countOf(kind, quota, keys[0]!)
        for (const key of keys) used[key] = String(count)
      }
      const next: ResourceQuota = { ...object, status: { hard, used } }
      if (isSameJson(next.status, object.status)) return
      try {
        await records.replace(held, next, {})
        return
      } catch (error) {
        if (!isStoreError(error, 'conflict') && !isStoreError(error, 'missing')) throw error
        if (attempt === attempts) throw error
      }
    }
  }

  /** Recounts a namespace's quotas in the background, once for many changes. */
  const enqueueRecount = (namespace: string): void => {
    if (recounts.has(namespace)) {
      again.add(namespace)
      return
    }
    const counting = (async () => {
      do {
        again.delete(namespace)
        for (const quota of await quotasIn(namespace)) await recount(refOf(quota))
      } while (again.has(namespace))
    })()
      .catch(error => onError({ ...collection, namespace, name: '' }, error))
      .finally(() => recounts.delete(namespace))
    recounts.set(namespace, counting)
  }

  const isQuota = ({ group, kind }: Pick<Kind, 'group' | 'kind'>) =>
    group === collection.group && kind === collection.kind

  const insert: RecordWriter['insert'] = async (kind, object, options) => {
    const namespace = object.metadata.namespace ?? ''
    const quotas = namespace === '' ? [] : await quotasIn(namespace)
    const releases: ((() => void) | undefined)[] = []
    try {
      for (const quota of quotas)
        releases.push(await charge(refOf(quota), kind, object.metadata.name, quotaKeysOf(kind)))
      return await records.insert(kind, object, options)
    } catch (error) {
      if (quotas.length > 0) enqueueRecount(namespace)
      throw error
    } finally {
      for (const release of releases) release?.()
      if (isQuota(kind)) {
        noneUntil = Number.NEGATIVE_INFINITY
        enqueueRecount(namespace)
      }
    }
  }

  const replace: RecordWriter['replace'] = async (held, object, options) => {
    const replaced = await records.replace(held, object, options)
    if (isQuota(held.kind)) enqueueRecount(object.metadata.namespace ?? '')
    return replaced
  }

  const discard: RecordWriter['discard'] = async (held, options) => {
    await records.discard(held, options)
    const { namespace = '' } = held.object.metadata
    if (limitedNamespaces.has(namespace)) enqueueRecount(namespace)
  }

  return {
    records: { ...records, insert, replace, discard },
    sweep: async () => {
      const { items } = await reader.list<ResourceQuota>(collection)
      for (const quota of items) await recount(refOf(quota))
    },
    settled: async () => {
      await Promise.all(recounts.values())
    },
  }
}
