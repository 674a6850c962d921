import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { type Stage, stages } from './queue.ts'

/**
 * Objects that are looked at together share one due time: that of their group's visit. A visit is no object of the API, but has a place in
 * the due index like one. While an object is a member of a visit it has no due time of its own; one that gets its own again is no longer
 * the visit's to look after.
 */
export interface Visits {
  /** Undefined for a group that was never visited. */
  read(visit: ObjectRef): Promise<VisitRecord | undefined>
  /**
   * Replaces the members and the due time (ms since the epoch; undefined = none), unless another version is stored by now than `expect`
   * (undefined = none): then nothing happens, and it resolves to false.
   */
  write(visit: ObjectRef, record: Omit<VisitRecord, 'version'>, expect: string | undefined): Promise<boolean>
}

export interface VisitRecord {
  readonly members: readonly VisitMember[]
  readonly due: number | undefined
  readonly version: string
}

export interface VisitMember {
  readonly ref: ObjectRef
  /** When it is to be looked at again, and how often it is, in milliseconds. */
  readonly due: number
  readonly every: number
}

const group = 'visit.keelson.dev'

/** The visit of a fairness group in a stage. What is before the first slash of the group counts as its tenant. */
export const visitRef = (stage: Stage, name: string): ObjectRef => ({
  group,
  kind: stage,
  namespace: name.split('/', 1)[0]!,
  name,
})

/** The stage whose queue a visit travels on; undefined for what is no visit. */
export const stageOfVisit = (ref: ObjectRef): Stage | undefined =>
  ref.group === group ? stages.find(stage => stage === ref.kind) : undefined
