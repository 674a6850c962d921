import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import { StoreError } from '../../platform/ports/objects.ts'

/**
 * What a pass leaves to those that go on with its run, beside the object: its status tells of runs that have ended, as
 * Flux's does. A run that nothing is known of any more is begun anew.
 */
export interface UnfinishedRuns<Run> {
  find(object: KubernetesObject): Promise<Run | undefined>
  /** In place of what was kept of the object before. */
  keep(object: KubernetesObject, run: Run): Promise<void>
}

export interface UnfinishedRunPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly clock: Clock
}

/** Nobody goes on with a run that has been left alone for so long. */
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
      // Whoever was faster holds the object's lease, and his run is the one to go on with.
      if (!(error instanceof StoreError && ['exists', 'conflict', 'missing'].includes(error.code))) throw error
    }
  },
})

/** No kind of the API. By its uid, so that nothing is taken for that of an object of the same name. */
const placeOf = (object: KubernetesObject, sort: string): ObjectRef => {
  const { group, kind, namespace, name } = refOf(object)
  return { group: `${sort}.unfinished.${group}`, kind, namespace, name: object.metadata.uid ?? name }
}
