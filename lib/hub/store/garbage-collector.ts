import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { Condition, KubernetesObject, ObjectRef, OwnerReference } from '../../foundations/kinds/object.ts'
import { groupOf, refKey, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { foregroundFinalizer, isDeleted, orphanFinalizer } from './deletion.ts'
import type { Hub } from './hub.ts'
import { ApiError } from './hub.ts'
import type { RemainingContent } from './namespace-content.ts'
import { emptyNamespace, terminationConditions } from './namespace-content.ts'
import { namespaceRef } from './namespaces.ts'
import type { Reader } from './reader.ts'
import { deletingKey, ownedKey, ownerKey } from './record-index.ts'
import { namespaceFinalizer } from './strategies.ts'

export interface GarbageCollectorPorts {
  readonly reader: Reader
  readonly kinds: () => KindRegistry
  /** RFC 3339. */
  readonly now: () => string
  /** The hub that the collector works on, without its hints: those come back through `notice`. */
  readonly hub: Pick<Hub, 'update' | 'delete'>
  /** Hears of work that failed; the next sweep tries again. */
  readonly onError: (ref: ObjectRef, error: unknown) => void
  /** Hears of an owner that is written into an object and is not in its namespace: it counts for nothing. */
  readonly onInvalidOwner: (dependent: KubernetesObject, owner: OwnerReference) => Promise<void>
}

export interface GarbageCollector {
  /** Looks at what a change may have left to be collected, soon. */
  notice(ref: ObjectRef, before: KubernetesObject | undefined, after: KubernetesObject | undefined): void
  /** Looks at everything that could be garbage: at start and now and then, so that nothing a crash left stays. */
  sweep(): Promise<void>
  /** Resolves when all that was noticed is done. */
  settled(): Promise<void>
}

const manager = 'garbage-collector'

/**
 * Deletes objects whose owners are all gone, and brings deletions to their end that wait for others (foreground, orphan,
 * namespaces). Level-triggered: each piece of work looks at what is there now, so it may be lost, late or doubled.
 */
export const garbageCollector = (ports: GarbageCollectorPorts): GarbageCollector => {
  const { reader, kinds, now, hub, onError, onInvalidOwner } = ports
  const pending = new Map<string, { readonly ref: ObjectRef; readonly work: () => Promise<void> }>()
  /** Objects into which somebody has written owners, by their keys, until those that are not there are told. */
  const written = new Set<string>()
  let working: Promise<void> | undefined

  const soon = (what: string, ref: ObjectRef, work: () => Promise<void>) => {
    pending.set(`${what} ${refKey(ref)}`, { ref, work })
    working ??= drain()
  }

  const drain = async () => {
    // The write that brought this is answered first.
    await new Promise(setImmediate)
    for (const [key, { ref, work }] of pending) {
      pending.delete(key)
      await work().catch(error => {
        if (!isOvertaken(error)) onError(ref, error)
      })
    }
    working = undefined
  }

  const checkSoon = (ref: ObjectRef) => soon('check', ref, () => checkOwners(ref))
  const finishSoon = (ref: ObjectRef) => soon('finish', ref, () => finishDeletion(ref))

  // ---- dependents whose owners are gone ----

  const checkOwners = async (ref: ObjectRef): Promise<void> => {
    const areWritten = written.delete(refKey(ref))
    const held = await reader.hold(ref)
    const owners = held?.object.metadata.ownerReferences ?? []
    if (!held || owners.length === 0) return
    const fates = await Promise.all(owners.map(owner => fateOf(owner, ref.namespace)))
    // Owners that were there when they were written and are missing later are gone, as owners go: nobody is told.
    const invalid = areWritten ? owners.filter((_, index) => fates[index] === 'absent') : []
    await tellInvalid(held.object, invalid, ref)
    const solid = owners.filter((_, index) => fates[index] === 'solid')
    if (solid.length === owners.length) return
    if (solid.length > 0) {
      if (fates.includes('absent')) await keepOwners(held.object, (_, index) => fates[index] !== 'absent')
      return
    }
    if (isDeleted(held.object)) return
    const { uid, resourceVersion } = held.object.metadata
    // Whoever waits for this object also waits for what hangs on it.
    const propagation = fates.includes('waiting') && (await hasDependents(held.object)) ? 'Foreground' : undefined
    await hub.delete(ref, { uid, resourceVersion, ...(propagation && { propagation }) })
  }

  /** Collecting goes on when this fails, whatever failed: the next sweep tells again. */
  const tellInvalid = async (dependent: KubernetesObject, invalid: readonly OwnerReference[], ref: ObjectRef) => {
    try {
      for (const owner of invalid) await onInvalidOwner(dependent, owner)
    } catch (error) {
      written.add(refKey(ref))
      onError(ref, error)
    }
  }

  /** Kinds that are not served here can't be looked up: such owners count as there. */
  const fateOf = async (owner: OwnerReference, namespace: string): Promise<'solid' | 'absent' | 'waiting'> => {
    const found = await findOwner(owner, namespace)
    if (found === 'unknown') return 'solid'
    if (!found) return 'absent'
    return isDeleted(found) && found.metadata.finalizers?.includes(foregroundFinalizer) ? 'waiting' : 'solid'
  }

  const findOwner = async (owner: OwnerReference, namespace: string) => {
    const kind = kinds().find(groupOf(owner.apiVersion), owner.kind)
    // An object of the cluster scope can't name an owner in a namespace: as in Kubernetes, it is never collected.
    if (!kind || (kind.namespaced && !namespace)) return 'unknown'
    const object = await reader.get(ownerRef(owner, kind.namespaced ? namespace : ''))
    return object?.metadata.uid === owner.uid ? object : undefined
  }

  const keepOwners = async (object: KubernetesObject, keep: (owner: OwnerReference, index: number) => boolean) => {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter(keep)
    await hub.update({ ...object, metadata: { ...object.metadata, ownerReferences } }, { fieldManager: manager })
  }

  /** Those that the owner has by Kubernetes' rules: in its own namespace, or anywhere when it has none. */
  async function* dependentsOf({ metadata: { uid, namespace } }: KubernetesObject): AsyncGenerator<KubernetesObject> {
    for await (const ref of reader.indexed(ownerKey(uid!))) {
      if (namespace && ref.namespace !== namespace) continue
      const object = await reader.get(ref)
      if (object?.metadata.ownerReferences?.some(owner => owner.uid === uid)) yield object
    }
  }

  const hasDependents = async (owner: KubernetesObject): Promise<boolean> => !(await dependentsOf(owner).next()).done

  // ---- deletions that wait for others ----

  const finishDeletion = async (ref: ObjectRef): Promise<void> => {
    const object = await reader.get(ref)
    if (!object || !isDeleted(object)) return
    if (ref.group === '' && ref.kind === 'Namespace') return finishNamespace(object)
    const { finalizers = [] } = object.metadata
    if (finalizers.includes(orphanFinalizer)) await orphanDependents(object)
    else if (finalizers.includes(foregroundFinalizer)) await deleteDependents(object)
  }

  const orphanDependents = async (owner: KubernetesObject) => {
    const { uid } = owner.metadata
    for await (const dependent of dependentsOf(owner)) await keepOwners(dependent, reference => reference.uid !== uid)
    await dropFinalizer(owner, orphanFinalizer)
  }

  const deleteDependents = async (owner: KubernetesObject) => {
    const { uid } = owner.metadata
    let isBlocked = false
    for await (const dependent of dependentsOf(owner)) {
      const reference = dependent.metadata.ownerReferences!.find(candidate => candidate.uid === uid)!
      isBlocked ||= reference.blockOwnerDeletion === true
      checkSoon(refOf(dependent))
    }
    if (!isBlocked) await dropFinalizer(owner, foregroundFinalizer)
  }

  const dropFinalizer = async (object: KubernetesObject, finalizer: string) => {
    const finalizers = object.metadata.finalizers?.filter(name => name !== finalizer)
    await hub.update({ ...object, metadata: { ...object.metadata, finalizers } }, { fieldManager: manager })
  }

  const finishNamespace = async (namespace: KubernetesObject) => {
    const remaining = await emptyNamespace({ list: reader.list, delete: hub.delete }, kinds(), namespace.metadata.name)
    if (remaining.resources.size > 0) return reportRemaining(namespace, remaining)
    const spec = namespace.spec as { readonly finalizers?: readonly string[] } | undefined
    const finalizers = spec?.finalizers?.filter(name => name !== namespaceFinalizer) ?? []
    await hub.update({ ...namespace, spec: { finalizers } }, { fieldManager: manager, subresource: 'finalize' })
  }

  const reportRemaining = async (namespace: KubernetesObject, remaining: RemainingContent) => {
    const status = namespace.status as { readonly conditions?: readonly Condition[] } | undefined
    const conditions = terminationConditions(remaining, status?.conditions ?? [], now())
    await hub.update(
      { ...namespace, status: { ...status, conditions } },
      { fieldManager: manager, subresource: 'status' },
    )
  }

  // ---- what sets it off ----

  const notice: GarbageCollector['notice'] = (ref, before, after) => {
    if (!after) return noticeRemoval(ref, before!)
    if (isDeleted(after)) finishSoon(ref)
    if (!isSameJson(before?.metadata.ownerReferences ?? [], after.metadata.ownerReferences ?? [])) {
      written.add(refKey(ref))
      checkSoon(ref)
    }
    if (!before && ref.namespace) soon('enter', ref, () => checkNamespace(ref))
  }

  const noticeRemoval = (ref: ObjectRef, removed: KubernetesObject) => {
    const { metadata } = removed
    soon('dependents', ref, async () => {
      for await (const dependent of dependentsOf(removed)) checkSoon(refOf(dependent))
    })
    for (const owner of metadata.ownerReferences ?? []) {
      const kind = kinds().find(groupOf(owner.apiVersion), owner.kind)
      if (kind) finishSoon(ownerRef(owner, kind.namespaced ? ref.namespace : ''))
    }
    const { group, kind, namespace } = ref
    if (namespace) soon('leave', { group, kind, namespace, name: '' }, () => leaveNamespace(ref))
  }

  /**
   * What a closing namespace waits for may be gone with the last object of a kind. Before that nothing is looked at: of a
   * thousand objects that go one by one, in as many processes, each would look through all that is left.
   */
  const leaveNamespace = async ({ group, kind, namespace }: ObjectRef): Promise<void> => {
    const closing = await reader.get(namespaceRef(namespace))
    if (!closing || !isDeleted(closing)) return
    const isServed = kinds().find(group, kind) !== undefined
    const left = isServed ? (await reader.list({ group, kind, namespace, limit: 1 })).items : []
    if (left.length === 0) finishSoon(namespaceRef(namespace))
  }

  /** An object may have slipped into a namespace that was closing, or gone, when it was stored. */
  const checkNamespace = async (ref: ObjectRef) => {
    const namespace = await reader.get(namespaceRef(ref.namespace))
    if (!namespace) await hub.delete(ref, {})
    else if (isDeleted(namespace)) finishSoon(namespaceRef(ref.namespace))
  }

  return {
    notice,
    sweep: async () => {
      for await (const ref of reader.indexed(ownedKey)) checkSoon(ref)
      for await (const ref of reader.indexed(deletingKey)) finishSoon(ref)
      await working
    },
    settled: async () => {
      while (working) await working
    },
  }
}

const ownerRef = ({ apiVersion, kind, name }: OwnerReference, namespace: string): ObjectRef => ({
  group: groupOf(apiVersion),
  kind,
  namespace,
  name,
})

/** Somebody else changed or removed the object first: their change brings a notice of its own. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === 'NotFound' || error.reason === 'Conflict')
