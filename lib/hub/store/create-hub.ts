import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { KubernetesObject, ObjectRef, OwnerReference } from '../../foundations/kinds/object.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'
import { changerIn } from './changers.ts'
import { garbageCollector } from './garbage-collector.ts'
import type { Hub } from './hub.ts'
import { namespaceRef } from './namespaces.ts'
import { quotaKeeper } from './quotas.ts'
import { hubReader } from './reader.ts'
import { recordCodec } from './record-codec.ts'
import { defaultEventTtlMs } from './record-index.ts'
import type { OnChange } from './record-writer.ts'
import { recordWriter } from './record-writer.ts'
import { type Replica, replica } from './replica.ts'
import { rfc3339 } from './time.ts'
import { hubWriter } from './writer.ts'

export interface HubPorts {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly keys: Keys
  readonly clock: Clock
  readonly random: Random
  /** The current kinds: user-defined ones may be added and removed. */
  readonly kinds: () => KindRegistry
  /** Maximum number of fields in an object, and in its managedFields; 10,000 by default. */
  readonly maxFields?: number
  /** How long Events live after their last change, in milliseconds; an hour by default. */
  readonly eventTtlMs?: number
  /** Kinds with a reconciler: their objects become due in the same commit as the change to reconcile. */
  readonly isReconciled?: (kind: Pick<ObjectRef, 'group' | 'kind'>) => boolean
  /** Fairness group of an object's messages: stored with it, so that a tick need not read the object. */
  readonly groupOf?: (object: KubernetesObject) => string | undefined
  /** Called for every stored change, to send queue hints. It must not throw, and may be late or lost: `due` is the safety net. */
  readonly onChange?: OnChange
  /** Called when background work on an object fails and will be retried. */
  readonly onError?: (ref: ObjectRef, error: unknown) => void
  /** Called for an owner reference to an object outside of the namespace: it has no effect. */
  readonly onInvalidOwner?: (dependent: KubernetesObject, owner: OwnerReference) => Promise<void>
}

/** The hub with its background controllers. */
export interface ManagedHub extends Hub {
  /** For a hub that copies objects of another one. */
  readonly replica: Replica
  /** Creates the namespaces of every cluster. Call it once at start, before requests are served. */
  prepare(): Promise<void>
  /** Collects garbage that a crash left behind; call it at start and every few minutes. */
  sweep(): Promise<void>
  /** Resolves when the collection triggered by earlier writes is done: a function must not end before. */
  settled(): Promise<void>
}

const firstNamespaces = ['default', 'kube-system']

/** Far more than objects have in practice; one with this many fields takes half a second to merge. */
export const defaultMaxFields = 10_000

/** Creates a hub on a platform's ports. */
export const createHub = (ports: HubPorts): ManagedHub => {
  const { objects, schedule, keys, clock, random, kinds } = ports
  const { groupOf = () => undefined, isReconciled = () => false, onChange = () => {}, onError = () => {} } = ports
  const { onInvalidOwner = async () => {} } = ports
  const { maxFields = defaultMaxFields, eventTtlMs = defaultEventTtlMs } = ports
  const codec = recordCodec(keys)
  const reader = hubReader({ objects, codec, kinds })
  const stored = recordWriter({
    objects,
    schedule,
    codec,
    clock,
    eventTtlMs,
    isReconciled,
    groupOf,
    onChange: (ref, before, after) => {
      garbage.notice(ref, before, after)
      onChange(ref, before, after)
    },
  })
  const quotas = quotaKeeper({ reader, records: stored, kinds, clock, onError })
  const { records } = quotas
  const writer = hubWriter({ reader, records, clock, random, kinds, maxFields })
  const garbage = garbageCollector({
    reader,
    kinds,
    now: () => rfc3339(clock.now()),
    hub: writer,
    onError,
    onInvalidOwner,
  })

  const prepare = async () => {
    for (const name of firstNamespaces) {
      if (await reader.get(namespaceRef(name))) continue
      await writer.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'keelson' })
    }
  }

  return {
    get: reader.get,
    list: reader.list,
    pages: reader.pages,
    watch: reader.watch,
    changedBy: async unit => {
      const held = await reader.hold(refOf(unit))
      const { uid, generation } = held?.object.metadata ?? {}
      return uid === unit.metadata.uid && generation === unit.metadata.generation
        ? changerIn(held!.stored.refersTo)
        : undefined
    },
    referrers: (target, of) => reader.indexed(refKey(target), of),
    ...writer,
    replica: replica({ reader, records, kinds }),
    prepare,
    sweep: async () => {
      await garbage.sweep()
      await quotas.sweep()
    },
    settled: async () => {
      await garbage.settled()
      await quotas.settled()
    },
  }
}
