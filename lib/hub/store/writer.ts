import type { KindRegistry, ServedKind } from '../../foundations/kinds/all.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Random } from '../../platform/ports/random.ts'
import { asAuthored, asCreated, asRevised, asUpdated, decoded } from './admission.ts'
import { alreadyExists, conflict, notFound, terminating } from './api-errors.ts'
import { withAuthor } from './authorship.ts'
import { isDeleted, isHeld, withDeletion } from './deletion.ts'
import { appliedTo, patched, trackedUpdate, type WriteContext } from './field-changes.ts'
import { generatedName } from './generated-name.ts'
import type { ApiErrorReason, DeleteOptions, Hub, Patch, PatchOptions, WriteOptions } from './hub.ts'
import { ApiError } from './hub.ts'
import { requireDeletable, requireOpenNamespace } from './namespaces.ts'
import { requireIdentity, requirePreconditions, requireUid, requireVersion } from './preconditions.ts'
import type { Held, Reader } from './reader.ts'
import type { RecordWriter } from './record-writer.ts'
import { isStoreError } from './record-writer.ts'
import { inStorageVersion, inVersion, kindNamed, servedForPatch, servedKindOf } from './served-kind.ts'
import { strategyOf } from './strategies.ts'
import { rfc3339 } from './time.ts'

export interface WriterPorts {
  readonly reader: Reader
  readonly records: RecordWriter
  readonly clock: Clock
  readonly random: Random
  readonly kinds: () => KindRegistry
  /** Maximum number of fields in an object. */
  readonly maxFields: number
}

/** Maximum number of retries of a write after concurrent changes. */
const attempts = 12
/** Maximum number of attempts to generate a free name. */
const nameAttempts = 8

/** The hub's write operations: how each verb changes an object. */
export const hubWriter = (ports: WriterPorts): Pick<Hub, 'create' | 'update' | 'patch' | 'delete'> => {
  const { reader, records, clock, random, kinds, maxFields } = ports
  const now = () => rfc3339(clock.now())
  const context = (): WriteContext => ({ now: now(), maxFields })

  // ---- the verbs ----

  const create = async (object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> => {
    const served = servedKindOf(kinds(), object)
    const { name, generateName, resourceVersion } = object.metadata ?? {}
    // Kubernetes responds with 500 and no reason.
    if (resourceVersion) throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
    if (name || !generateName) return createNamed(served, object, options)
    for (let attempt = 1; ; attempt++) {
      const named = { ...object, metadata: { ...object.metadata, name: generatedName(generateName, random) } }
      try {
        return await createNamed(served, named, options)
      } catch (error) {
        if (!hasReason(error, 'AlreadyExists') || attempt === nameAttempts) throw error
      }
    }
  }

  const createNamed = async (served: ServedKind, object: KubernetesObject, options: WriteOptions) => {
    const system = { uid: random.uuid(), now: now() }
    const authored = asAuthored(served, decoded(served, object, options), system)
    const signed = withAuthor(authored, undefined, options.user)
    return storeNew(served, trackedUpdate(served, undefined, signed, options, { ...system, maxFields }), options)
  }

  const update = (object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> => {
    const served = servedKindOf(kinds(), object)
    return revise(served, refOf(object), options, old => {
      requireVersion(served, object, old)
      requireUid(served, object, old)
      const revised = asRevised(served, decoded(served, object, options), old, options.subresource)
      return trackedUpdate(served, old, withAuthor(revised, old, options.user), options, context())
    })
  }

  const patch = async (ref: ObjectRef, change: Patch, options: PatchOptions): Promise<KubernetesObject> => {
    if (change.type === 'apply') return apply(ref, change.object, options)
    const served = servedForPatch(kinds(), ref, options.version)
    return revise(served, ref, options, old => {
      const proposed = patched(served, old, change)
      requireIdentity(proposed, old)
      requireVersion(served, proposed, old)
      const revised = asRevised(served, decoded(served, proposed, options), old, options.subresource)
      return trackedUpdate(served, old, withAuthor(revised, old, options.user), options, context())
    })
  }

  /** Server-side apply creates the object if it does not exist. */
  const apply = async (ref: ObjectRef, applied: KubernetesObject, options: PatchOptions): Promise<KubernetesObject> => {
    const served = servedKindOf(kinds(), applied)
    for (let attempt = 1; ; attempt++) {
      try {
        return await applyToExisting(served, ref, applied, options)
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error
      }
      try {
        return await applyNew(served, ref, applied, options)
      } catch (error) {
        if (!hasReason(error, 'AlreadyExists') || attempt === attempts) throw error
      }
    }
  }

  const applyToExisting = (served: ServedKind, ref: ObjectRef, applied: KubernetesObject, options: PatchOptions) =>
    revise(served, ref, options, old => {
      requireVersion(served, applied, old)
      const merged = appliedTo(served, old, applied, options, context())
      return withAuthor(
        asRevised(served, decoded(served, merged, options), old, options.subresource),
        old,
        options.user,
      )
    })

  const applyNew = async (served: ServedKind, ref: ObjectRef, applied: KubernetesObject, options: PatchOptions) => {
    const { uid } = applied.metadata
    if (options.subresource) throw notFound(served.kind, ref.name)
    if (uid)
      throw conflict(
        served.kind,
        ref.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      )
    const system = { uid: random.uuid(), now: now() }
    const merged = appliedTo(served, undefined, applied, options, { ...system, maxFields })
    const authored = withAuthor(asAuthored(served, decoded(served, merged, options), system), undefined, options.user)
    const created = await storeNew(served, authored, options)
    options.onCreated?.()
    return created
  }

  const remove = async (ref: ObjectRef, options: DeleteOptions): Promise<KubernetesObject> =>
    untilSettled(async () => {
      const held = await requireHeld(ref)
      const { kind, object } = held
      requirePreconditions(kind, object, options)
      requireDeletable(kind, object)
      const { going } = strategyOf(kind)
      const deleted =
        going && !isDeleted(object) ? going(object, now()) : withDeletion(object, options.propagation, now())
      if (isHeld(deleted))
        return deleted === object || options.dryRun
          ? deleted
          : records.replace(held, deleted, options.user === undefined ? {} : { user: options.user })
      if (!options.dryRun) await records.discard(held, {})
      // An object that is removed at once never gets a deletionTimestamp.
      return isHeld(object) ? deleted : object
    })

  // ---- one change ----

  /** Reads, changes and writes; retries if another write comes in between. */
  const revise = (
    served: ServedKind,
    ref: ObjectRef,
    options: WriteOptions,
    change: (old: KubernetesObject) => KubernetesObject,
  ): Promise<KubernetesObject> =>
    untilSettled(async () => {
      const held = await requireHeld(ref)
      const old = inVersion(held.object, served.kind, served.version.name)
      const changed = change(old)
      await options.admit?.(changed, old)
      const updated = asUpdated(served, changed, old, options)
      const next = inStorageVersion(updated, served.kind)
      if (isDeleted(next) && !isHeld(next)) {
        if (!options.dryRun) await records.discard(held, options)
        return next
      }
      if (isSameJson(updated, old)) {
        if (!options.dryRun) await records.postpone(held, options)
        return held.object
      }
      return options.dryRun ? next : records.replace(held, next, options)
    })

  const untilSettled = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let left = attempts; ; left--) {
      try {
        return await attempt()
      } catch (error) {
        if (!isStoreError(error, 'conflict') && !isStoreError(error, 'missing')) throw error
        if (left === 0) throw new ApiError(504, 'Timeout', 'Timeout: the object keeps changing; please try again')
      }
    }
  }

  const requireHeld = async (ref: ObjectRef): Promise<Held> => {
    const held = await reader.hold(ref)
    if (!held) throw notFound(kindNamed(kinds(), ref), ref.name)
    return held
  }

  const storeNew = async (served: ServedKind, authored: KubernetesObject, options: WriteOptions) => {
    const { kind } = served
    await options.admit?.(authored)
    if (kind.terminating) throw terminating(kind)
    await requireOpenNamespace(reader, kind, authored)
    const object = inStorageVersion(asCreated(served, authored, options), kind)
    if (!options.dryRun) return records.insert(kind, object, options)
    if (await reader.hold(refOf(object))) throw alreadyExists(kind, object.metadata.name)
    return object
  }

  return { create, update, patch, delete: remove } as Pick<Hub, 'create' | 'update' | 'patch' | 'delete'>
}

const hasReason = (error: unknown, reason: ApiErrorReason): boolean =>
  error instanceof ApiError && error.reason === reason
