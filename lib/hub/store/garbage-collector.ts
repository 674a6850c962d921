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
  /** The hub, without its hints: those arrive through `notice`. */
  readonly hub: Pick<Hub, 'update' | 'delete'>
  /** Called when work fails; the next sweep retries it. */
  readonly onError: (ref: ObjectRef, error: unknown) => void
  /** Called for an owner reference to an object outside of the namespace: it has no effect. */
  readonly onInvalidOwner: (dependent: KubernetesObject, owner: OwnerReference) => Promise<void>
}

export interface GarbageCollector {
  /** Enqueues checks of objects that a change may have made garbage. */
  notice(ref: ObjectRef, before: KubernetesObject | undefined, after: KubernetesObject | undefined): void
  /** Checks everything that could be garbage: at start and periodically, so that nothing remains after a crash. */
  sweep(): Promise<void>
  /** Resolves when all pending work is done. */
  settled(): Promise<void>
}

const manager = 'garbage-collector'

/**
 * Deletes objects whose owners are all gone, and completes deletions that wait for others (foreground, orphan, namespaces). Level-triggered:
 * each piece of work reads the current state, so it may be lost, late or duplicated.
 */
export const garbageCollector = (ports: GarbageCollectorPorts): GarbageCollector => {
  const { reader, kinds, now, hub, onError, onInvalidOwner } = ports
  const pending = new Map<string, { readonly ref: ObjectRef; readonly work: () => Promise<void> }>()
  /** Keys of objects whose owner references were just written, until the invalid ones are reported. */
  const written = new Set<string>()
  let working: Promise<void> | undefined

  const enqueue = (what: string, ref: ObjectRef, work: () => Promise<void>) => {
    pending.set(`${what} ${refKey(ref)}`, { ref, work })
    working ??= drain()
  }

  const drain = async () => {
    // Let the triggering write respond first.
    await new Promise(setImmediate)
    for (const [key, { ref, work }] of pending) {
      pending.delete(key)
      await work().catch(error => {
        if (!isOvertaken(error)) onError(ref, error)
      })
    }
    working = undefined
  }

  const enqueueCheck = (ref: ObjectRef) => enqueue('check', ref, () => checkOwners(ref))
  const enqueueFinish = (ref: ObjectRef) => enqueue('finish', ref, () => finishDeletion(ref))

  // ---- dependents whose owners are gone ----

  const checkOwners = async (ref: ObjectRef): Promise<void> => {
    const areWritten = written.delete(refKey(ref))
    const held = await reader.hold(ref)
    const owners = held?.object.metadata.ownerReferences ?? []
    if (!held || owners.length === 0) return
    const states = await Promise.all(owners.map(owner => stateOf(owner, ref.namespace)))
    // Owners that existed when they were written and are missing later were deleted: that is not reported.
    const invalid = areWritten ? owners.filter((_, index) => states[index] === 'absent') : []
    await reportInvalid(held.object, invalid, ref)
    const solid = owners.filter((_, index) => states[index] === 'solid')
    if (solid.length === owners.length) return
    if (solid.length > 0) {
      if (states.includes('absent')) await keepOwners(held.object, (_, index) => states[index] !== 'absent')
      return
    }
    if (isDeleted(held.object)) return
    const { uid, resourceVersion } = held.object.metadata
    // Anything that waits for this object also waits for its dependents.
    const propagation = states.includes('waiting') && (await hasDependents(held.object)) ? 'Foreground' : undefined
    await hub.delete(ref, { uid, resourceVersion, ...(propagation && { propagation }) })
  }

  /** Collection continues even if this fails: the next sweep reports again. */
  const reportInvalid = async (dependent: KubernetesObject, invalid: readonly OwnerReference[], ref: ObjectRef) => {
    try {
      for (const owner of invalid) await onInvalidOwner(dependent, owner)
    } catch (error) {
      written.add(refKey(ref))
      onError(ref, error)
    }
  }

  /** Kinds that are not served can't be looked up: such owners count as existing. */
  const stateOf = async (owner: OwnerReference, namespace: string): Promise<'solid' | 'absent' | 'waiting'> => {
    const found = await findOwner(owner, namespace)
    if (found === 'unknown') return 'solid'
    if (!found) return 'absent'
    return isDeleted(found) && found.metadata.finalizers?.includes(foregroundFinalizer) ? 'waiting' : 'solid'
  }

  const findOwner = async (owner: OwnerReference, namespace: string) => {
    const kind = kinds().find(groupOf(owner.apiVersion), owner.kind)
    // A cluster-scoped object can't have a namespaced owner: as in Kubernetes, it is never collected.
    if (!kind || (kind.namespaced && !namespace)) return 'unknown'
    const object = await reader.get(ownerRef(owner, kind.namespaced ? namespace : ''))
    return object?.metadata.uid === owner.uid ? object : undefined
  }

  const keepOwners = async (object: KubernetesObject, keep: (owner: OwnerReference, index: number) => boolean) => {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter(keep)
    await hub.update({ ...object, metadata: { ...object.metadata, ownerReferences } }, { fieldManager: manager })
  }

  /** The owner's dependents by Kubernetes' rules: in its own namespace, or anywhere if it is cluster-scoped. */
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
      enqueueCheck(refOf(dependent))
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

  // ---- triggers ----

  const notice: GarbageCollector['notice'] = (ref, before, after) => {
    if (!after) return noticeRemoval(ref, before!)
    if (isDeleted(after)) enqueueFinish(ref)
    if (!isSameJson(before?.metadata.ownerReferences ?? [], after.metadata.ownerReferences ?? [])) {
      written.add(refKey(ref))
      enqueueCheck(ref)
    }
    if (!before && ref.namespace) enqueue('created in', ref, () => checkNamespace(ref))
  }

  const noticeRemoval = (ref: ObjectRef, removed: KubernetesObject) => {
    const { metadata } = removed
    enqueue('dependents', ref, async () => {
      for await (const dependent of dependentsOf(removed)) enqueueCheck(refOf(dependent))
    })
    for (const owner of metadata.ownerReferences ?? []) {
      const kind = kinds().find(groupOf(owner.apiVersion), owner.kind)
      if (kind) enqueueFinish(ownerRef(owner, kind.namespaced ? ref.namespace : ''))
    }
    const { group, kind, namespace } = ref
    if (namespace) enqueue('removed from', { group, kind, namespace, name: '' }, () => checkTerminatingNamespace(ref))
  }

  /**
   * The last object of a kind may have been what a terminating namespace waits for. Nothing is checked earlier: otherwise each of a
   * thousand deletions, in as many processes, would check all remaining objects.
   */
  const checkTerminatingNamespace = async ({ group, kind, namespace }: ObjectRef): Promise<void> => {
    const terminating = await reader.get(namespaceRef(namespace))
    if (!terminating || !isDeleted(terminating)) return
    const isServed = kinds().find(group, kind) !== undefined
    const remaining = isServed ? (await reader.list({ group, kind, namespace, limit: 1 })).items : []
    if (remaining.length === 0) enqueueFinish(namespaceRef(namespace))
  }

  /** An object may have been stored in a namespace that was terminating or gone. */
  const checkNamespace = async (ref: ObjectRef) => {
    const namespace = await reader.get(namespaceRef(ref.namespace))
    if (!namespace) await hub.delete(ref, {})
    else if (isDeleted(namespace)) enqueueFinish(namespaceRef(ref.namespace))
  }

  return {
    notice,
    sweep: async () => {
      for await (const ref of reader.indexed(ownedKey)) enqueueCheck(ref)
      for await (const ref of reader.indexed(deletingKey)) enqueueFinish(ref)
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

/** Another writer changed or removed the object first: that change triggers its own notice. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === 'NotFound' || error.reason === 'Conflict')
