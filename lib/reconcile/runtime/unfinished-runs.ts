import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import { StoreError } from '../../platform/ports/objects.ts'

/**
 * The state for the passes that continue a run, stored beside the object: as in Flux, the status shows only runs
 * that have ended. If the record is lost, the run starts over.
 */
export interface UnfinishedRuns<Run> {
  find(object: KubernetesObject): Promise<Run | undefined>
  /** Replaces the object's earlier record. */
  keep(object: KubernetesObject, run: Run): Promise<void>
}

export interface UnfinishedRunPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly clock: Clock
}

/** A run that was not continued for this long is dropped. */
const keptMs = 24 * 60 * 60_000

/** Runs as JSON values; no secrets. An object has one of each sort. */
export const unfinishedRuns = <Run>({ objects, clock }: UnfinishedRunPorts, sort: string): UnfinishedRuns<Run> => ({
  find: async object => {
    const record = await objects.get(placeOf(object, sort))
    return record && (JSON.parse(record.body) as Run)
  },
  async keep(object, run) {
    const ref = placeOf(object, sort)
    const record = { ref, body: JSON.stringify(run), refersTo: [], expires: clock.now() + keptMs }
    const known = await objects.get(ref)
    try {
      await objects.commit(known ? { op: 'update', expect: known.version, ...record } : { op: 'create', ...record })
    } catch (error) {
      // The other writer holds the object's lease, so its run is continued.
      if (!(error instanceof StoreError && ['exists', 'conflict', 'missing'].includes(error.code))) throw error
    }
  },
})

/** Not a kind of the API. Keyed by UID, so that a new object of the same name does not inherit it. */
const placeOf = (object: KubernetesObject, sort: string): ObjectRef => {
  const { group, kind, namespace, name } = refOf(object)
  return { group: `${sort}.unfinished.${group}`, kind, namespace, name: object.metadata.uid ?? name }
}
