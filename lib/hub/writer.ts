import type { KindRegistry, ServedKind } from '../kinds/all.ts'
import type { Kind } from '../kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../kinds/object.ts'
import { refOf } from '../kinds/object.ts'
import type { Clock } from '../ports/clock.ts'
import type { Change, ObjectStore, StoredObject, StoreErrorCode } from '../ports/objects.ts'
import { StoreError } from '../ports/objects.ts'
import type { Random } from '../ports/random.ts'
import type { Schedule } from '../ports/schedule.ts'
import { asAuthored, asCreated, asRevised, asUpdated, decoded } from './admission.ts'
import { alreadyExists, badRequest, conflict, modified, notFound } from './api-errors.ts'
import { isDeleted, isHeld, withDeletion } from './deletion.ts'
import { appliedTo, patched, trackedUpdate } from './field-changes.ts'
import { generatedName } from './generated-name.ts'
import type { ApiErrorReason, DeleteOptions, Hub, Patch, PatchOptions, WriteOptions } from './hub.ts'
import { ApiError } from './hub.ts'
import { isSameJson } from './json.ts'
import { requireDeletable, requireOpenNamespace } from './namespaces.ts'
import type { Held, Reader } from './reader.ts'
import type { RecordCodec } from './record-codec.ts'
import { asksForReconciliation, expiryOf, indexKeysOf } from './record-index.ts'
import { inStorageVersion, inVersion, kindNamed, servedForPatch, servedKindOf } from './served-kind.ts'
import { rfc3339 } from './time.ts'

export interface WriterPorts {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly codec: RecordCodec
  readonly reader: Reader
  readonly clock: Clock
  readonly random: Random
  readonly kinds: () => KindRegistry
  /** Kinds with a reconciler: their objects become due in the same commit that gives them something to do. */
  readonly isReconciled: (kind: Pick<ObjectRef, 'group' | 'kind'>) => boolean
  /** Hears of every change that was stored; `before` is absent for a new object, `after` for one that is gone. */
  readonly onChange: OnChange
}

export type OnChange = (
  ref: ObjectRef,
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
) => void

/** How often a write starts anew because another came in between. */
const attempts = 12
/** How many names are made up for `generateName` until one is free. */
const nameAttempts = 8

/** The writing half of the hub. */
export const hubWriter = (ports: WriterPorts): Pick<Hub, 'create' | 'update' | 'patch' | 'delete'> => {
  const { objects, schedule, codec, reader, clock, random, kinds, isReconciled, onChange } = ports

  // ---- the verbs ----

  const create = async (object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> => {
    const served = servedKindOf(kinds(), object)
    const { name, generateName, resourceVersion } = object.metadata ?? {}
    // Kubernetes answers so, with 500 and without a reason.
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
    const now = rfc3339(clock.now())
    const authored = asAuthored(served, decoded(served, object, options), { uid: random.uuid(), now })
    return storeNew(served, trackedUpdate(served, undefined, authored, options, now), options)
  }

  const update = (object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> => {
    const served = servedKindOf(kinds(), object)
    return revise(served, refOf(object), options, old => {
      requireVersion(served, object, old)
      requireUid(served, object, old)
      const revised = asRevised(served, decoded(served, object, options), old, options.subresource)
      return trackedUpdate(served, old, revised, options, rfc3339(clock.now()))
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
      return trackedUpdate(served, old, revised, options, rfc3339(clock.now()))
    })
  }

  /** Server-side apply creates what is not there. */
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
      const merged = appliedTo(served, old, applied, options, rfc3339(clock.now()))
      return asRevised(served, decoded(served, merged, options), old, options.subresource)
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
    const now = rfc3339(clock.now())
    const merged = appliedTo(served, undefined, applied, options, now)
    const authored = asAuthored(served, decoded(served, merged, options), { uid: random.uuid(), now })
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
      const deleted = withDeletion(object, options.propagation, rfc3339(clock.now()))
      if (isHeld(deleted)) return deleted === object || options.dryRun ? deleted : store(held, deleted, {})
      // What goes at once is never marked as going.
      const last = isHeld(object) ? deleted : object
      return options.dryRun ? last : discard(held, last, {})
    })

  // ---- one change ----

  /** Reads, changes and writes, anew when another write comes in between. */
  const revise = (
    served: ServedKind,
    ref: ObjectRef,
    options: WriteOptions,
    change: (old: KubernetesObject) => KubernetesObject,
  ): Promise<KubernetesObject> =>
    untilSettled(async () => {
      const held = await requireHeld(ref)
      const old = inVersion(held.object, served.kind, served.version.name)
      const updated = asUpdated(served, change(old), old, options)
      const next = inStorageVersion(updated, served.kind)
      if (isDeleted(next) && !isHeld(next)) return options.dryRun ? next : discard(held, next, options)
      if (isSameJson(updated, old)) return postpone(held, options)
      return options.dryRun ? next : store(held, next, options)
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

  // ---- the store ----

  const storeNew = async (served: ServedKind, authored: KubernetesObject, options: WriteOptions) => {
    const { kind } = served
    await requireOpenNamespace(reader, kind, authored)
    const object = inStorageVersion(asCreated(served, authored, options), kind)
    const ref = refOf(object)
    if (options.dryRun) {
      if (await objects.get(ref)) throw alreadyExists(kind, ref.name)
      return object
    }
    const stored = await commit(kind, { op: 'create', ref, ...(await recordOf(kind, object, undefined, options)) })
    const created = codec.remember(kind, object, stored)
    onChange(ref, undefined, created)
    return created
  }

  const store = async (
    { kind, object: before, stored: old }: Held,
    object: KubernetesObject,
    options: StoreOptions,
  ) => {
    const record = await recordOf(kind, object, before, options)
    const stored = await commit(kind, { op: 'update', ref: old.ref, expect: old.version, ...record })
    const updated = codec.remember(kind, object, stored)
    onChange(old.ref, before, updated)
    return updated
  }

  /** Takes an object out of the store. Watchers see it as it was stored last, as Kubernetes' do. */
  const discard = async ({ kind, object, stored }: Held, last: KubernetesObject, { fence }: StoreOptions) => {
    const { ref, version, body } = stored
    await commit(kind, { op: 'delete', ref, expect: version, body, ...(fence && { fence }) })
    onChange(ref, object, undefined)
    return last
  }

  /** A change that changes nothing makes no new version, but may move the due time. */
  const postpone = async ({ object, stored }: Held, { due, dueSeen, dryRun }: WriteOptions) => {
    if (due !== undefined && !dryRun)
      await schedule.setDue(stored.ref, due ?? undefined, { version: stored.version, dueSeen })
    return object
  }

  const recordOf = async (
    kind: Kind,
    object: KubernetesObject,
    before: KubernetesObject | undefined,
    { due: wanted, dueSeen, fence }: StoreOptions,
  ) => {
    const now = clock.now()
    const isDueNow = isReconciled(kind) && asksForReconciliation(object, before)
    const due = wanted === undefined && isDueNow ? now : wanted
    const expires = expiryOf(kind, now)
    return {
      body: await codec.encode(kind, object),
      refersTo: indexKeysOf(object),
      ...(due !== undefined && { due, dueSeen }),
      ...(expires !== undefined && { expires }),
      ...(fence && { fence }),
    }
  }

  const commit = async (kind: Kind, change: Change): Promise<StoredObject> => {
    try {
      return await objects.commit(change)
    } catch (error) {
      if (isStoreError(error, 'exists')) throw alreadyExists(kind, change.ref.name)
      if (isStoreError(error, 'fenced')) throw conflict(kind, change.ref.name, (error as StoreError).message)
      throw error
    }
  }

  return { create, update, patch, delete: remove } as Pick<Hub, 'create' | 'update' | 'patch' | 'delete'>
}

type StoreOptions = Pick<WriteOptions, 'due' | 'dueSeen' | 'fence'>

const isStoreError = (error: unknown, code: StoreErrorCode): boolean =>
  error instanceof StoreError && error.code === code

const hasReason = (error: unknown, reason: ApiErrorReason): boolean =>
  error instanceof ApiError && error.reason === reason

const requireVersion = ({ kind }: ServedKind, { metadata }: KubernetesObject, old: KubernetesObject): void => {
  const { resourceVersion } = metadata ?? {}
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw modified(kind, old.metadata.name)
}

const requireUid = ({ kind }: ServedKind, { metadata }: KubernetesObject, old: KubernetesObject): void => {
  const { uid } = metadata ?? {}
  if (uid && uid !== old.metadata.uid)
    throw conflict(
      kind,
      old.metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    )
}

/** A patch may change anything but the object that it is for. */
const requireIdentity = (proposed: KubernetesObject, { apiVersion, kind, metadata }: KubernetesObject): void => {
  const { name, namespace } = proposed.metadata ?? {}
  if (name !== metadata.name)
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${metadata.name})`)
  if (namespace !== metadata.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  if (proposed.apiVersion !== apiVersion || proposed.kind !== kind)
    throw badRequest(
      `the API version in the data (${String(proposed.apiVersion)}) does not match the expected API version (${apiVersion})`,
    )
}

const requirePreconditions = (kind: Kind, { metadata }: KubernetesObject, options: DeleteOptions): void => {
  const refuse = (what: string, wanted: string, found: string | undefined, meaning: string) =>
    conflict(
      { group: kind.group, plural: kind.kind },
      metadata.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${meaning}`,
    )
  const { uid, resourceVersion } = options
  if (uid !== undefined && uid !== metadata.uid) throw refuse('UID', uid, metadata.uid, 'deleted and then recreated')
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified')
}
