import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { type Stage, stages } from './queue.ts'

/**
 * Objects that are checked together share one due time: that of their group's visit. A visit is not an object of the API, but has an entry in the
 * due index like one. A member of a visit has no due time of its own; an object that gets one leaves the visit.
 */
export interface Visits {
  /** Undefined if the group has never been visited. */
  read(visit: ObjectRef): Promise<VisitRecord | undefined>
  /**
   * Replaces the members and the due time (ms since the epoch; undefined = none). Resolves to false and changes nothing if the stored version
   * differs from `expect` (undefined = not stored).
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
  /** When it is next to be checked (ms since the epoch), and its interval in milliseconds. */
  readonly due: number
  readonly every: number
  /** When it was last found unchanged (ms since the epoch); absent in records of earlier releases. */
  readonly at?: number
}

const group = 'visit.keelson.dev'

/** The visit of a fairness group in a stage. The group's part before the first slash is its tenant. */
export const visitRef = (stage: Stage, name: string): ObjectRef => ({
  group,
  kind: stage,
  namespace: name.split('/', 1)[0]!,
  name,
})

/** The stage whose queue carries a visit; undefined for any other object. */
export const stageOfVisit = (ref: ObjectRef): Stage | undefined =>
  ref.group === group ? stages.find(stage => stage === ref.kind) : undefined
