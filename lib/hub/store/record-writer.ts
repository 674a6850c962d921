import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ObjectChange, ObjectStore, StoredObject, StoreErrorCode } from '../../platform/ports/objects.ts'
import { StoreError } from '../../platform/ports/objects.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'
import { alreadyExists, conflict, forbidden, insufficientStorage } from './api-errors.ts'
import { changerKeys } from './changers.ts'
import type { WriteOptions } from './hub.ts'
import type { Held } from './reader.ts'
import type { RecordCodec } from './record-codec.ts'
import { expiryOf, indexKeysOf, labelsOf, requiresReconciliation } from './record-index.ts'

export interface RecordWriterPorts {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly codec: RecordCodec
  readonly clock: Clock
  /** How long Events live after their last change, in milliseconds. */
  readonly eventTtlMs: number
  /** Kinds with a reconciler: their objects become due in the same commit as the change to reconcile. */
  readonly isReconciled: (kind: Pick<ObjectRef, 'group' | 'kind'>) => boolean
  /** Fairness group of an object's messages. */
  readonly groupOf: (object: KubernetesObject) => string | undefined
  /** Called for every stored change; `before` is absent for a new object, `after` for a deleted one. */
  readonly onChange: OnChange
}

export type OnChange = (
  ref: ObjectRef,
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
) => void

type Options = Pick<WriteOptions, 'due' | 'dueSeen' | 'fence' | 'isBounded' | 'user'>

/**
 * Stores completed objects, with everything that must change in the same commit: index, due time, expiry, fence. Fails with AlreadyExists,
 * with Conflict if the lease was lost, and with StoreError `conflict` or `missing` if another write came first: then the caller starts over
 * from the stored state.
 */
export interface RecordWriter {
  insert(kind: Kind, object: KubernetesObject, options: Options): Promise<KubernetesObject>
  replace(held: Held, object: KubernetesObject, options: Options): Promise<KubernetesObject>
  /** Watchers receive the object as last stored, as in Kubernetes. */
  discard(held: Held, options: Options): Promise<void>
  /** Changes only the due time: a write without changes creates no new version. */
  postpone(held: Held, options: Options): Promise<void>
}

/** The writer over a store. `onChange` is called after a commit, and before the caller gets its result. */
export const recordWriter = (ports: RecordWriterPorts): RecordWriter => {
  const { objects, schedule, codec, clock, eventTtlMs, isReconciled, groupOf, onChange } = ports

  const insert: RecordWriter['insert'] = async (kind, object, options) => {
    const ref = refOf(object)
    const record = await recordOf(kind, object, undefined, options)
    const stored = await commit(kind, { op: 'create', ref, ...record })
    const created = codec.remember(kind, object, stored)
    onChange(ref, undefined, created)
    return created
  }

  const replace: RecordWriter['replace'] = async (held, object, options) => {
    const { kind, object: before, stored: old } = held
    const record = await recordOf(kind, object, held, options)
    const stored = await commit(kind, { op: 'update', ref: old.ref, expect: old.version, ...record })
    const updated = codec.remember(kind, object, stored)
    onChange(old.ref, before, updated)
    return updated
  }

  const discard: RecordWriter['discard'] = async ({ kind, object, stored }, { fence }) => {
    const { ref, version, body } = stored
    await commit(kind, { op: 'delete', ref, expect: version, body, ...(fence && { fence }) })
    onChange(ref, object, undefined)
  }

  const postpone: RecordWriter['postpone'] = async ({ stored }, { due, dueSeen }) => {
    if (due === undefined) return
    await schedule.setDue(stored.ref, due ?? undefined, { version: stored.version, dueSeen })
  }

  const recordOf = async (
    kind: Kind,
    object: KubernetesObject,
    held: Held | undefined,
    { due: wanted, dueSeen, fence, isBounded, user }: Options,
  ) => {
    const now = clock.now()
    const isDueNow = isReconciled(kind) && requiresReconciliation(object, held?.object)
    const due = wanted === undefined && isDueNow ? now : wanted
    const expires = expiryOf(kind, now, eventTtlMs)
    const group = groupOf(object)
    const labels = labelsOf(kind, object)
    return {
      body: await codec.encode(kind, object),
      refersTo: [...indexKeysOf(object), ...changerKeys(object, held && { ...held.stored, object: held.object }, user)],
      ...(labels && { labels }),
      ...(due !== undefined && { due, dueSeen }),
      ...(group !== undefined && { group }),
      ...(expires !== undefined && { expires }),
      ...(fence && { fence }),
      ...(isBounded && { isBounded }),
    }
  }

  const commit = async (kind: Kind, change: ObjectChange): Promise<StoredObject> => {
    try {
      return await objects.commit(change)
    } catch (error) {
      if (isStoreError(error, 'exists')) throw alreadyExists(kind, change.ref.name)
      if (isStoreError(error, 'full')) throw insufficientStorage((error as StoreError).message)
      if (isStoreError(error, 'bounded')) throw exceeded(kind, change.ref, (error as StoreError).message)
      if (isStoreError(error, 'fenced')) throw conflict(kind, change.ref.name, (error as StoreError).message)
      throw error
    }
  }

  return { insert, replace, discard, postpone }
}

/** Worded like Kubernetes' ResourceQuota: each namespace has this one by default. */
const exceeded = (kind: Kind, { namespace, name }: ObjectRef, how: string) =>
  forbidden(kind, name, `exceeded quota: the limit of the namespace ${namespace}, ${how}`)

export const isStoreError = (error: unknown, code: StoreErrorCode): boolean =>
  error instanceof StoreError && error.code === code
