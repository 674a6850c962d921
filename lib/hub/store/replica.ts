import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { WriteOptions } from './hub.ts'
import type { Reader } from './reader.ts'
import type { RecordWriter } from './record-writer.ts'
import { kindNamed } from './served-kind.ts'

/** Keeps objects of another hub as that hub has them: with their UID, generation, finalizers and status. The loop reacts to changes as to any other. */
export interface Replica {
  /** Stores the object that `next` makes of the stored one, unless they are equal. Fails with a StoreError if another write comes first. */
  put(ref: ObjectRef, next: (stored: KubernetesObject | undefined) => KubernetesObject, by?: Changer): Promise<void>
  /** Removes the object at once, whatever its finalizers. */
  drop(ref: ObjectRef): Promise<void>
}

/** `user` has made the generation that is new here. */
type Changer = Pick<WriteOptions, 'user'>

interface ReplicaPorts {
  readonly reader: Pick<Reader, 'hold'>
  readonly records: Pick<RecordWriter, 'insert' | 'replace' | 'discard'>
  readonly kinds: () => KindRegistry
}

/**
 * Writes past admission and field ownership, which the other hub has done. A version that it had there means nothing
 * here.
 */
export const replica = ({ reader, records, kinds }: ReplicaPorts): Replica => ({
  put: async (ref, next, by = {}) => {
    const held = await reader.hold(ref)
    const copy = withoutVersion(next(held?.object))
    if (!held) await records.insert(kindNamed(kinds(), ref), copy, by)
    else if (!isSameJson(copy, withoutVersion(held.object))) await records.replace(held, copy, by)
  },
  drop: async ref => {
    const held = await reader.hold(ref)
    if (held) await records.discard(held, {})
  },
})

/** Versions are those of the store. */
const withoutVersion = ({
  metadata: { resourceVersion: _, ...metadata },
  ...object
}: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata,
})
