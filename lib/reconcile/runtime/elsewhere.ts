import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** Whether another process reconciles an object: then this one neither reads its cluster nor writes to it. */
export type IsElsewhere = (object: KubernetesObject) => Promise<boolean>

export interface ElsewherePorts {
  /** Absent if this process is the only one that reconciles its kinds. */
  readonly isElsewhere?: IsElsewhere
  /**
   * Called instead of a pass over such an object: in how many milliseconds to call again, if that is sooner than `elsewhereMs`. `isNews`: the object,
   * or what it refers to, has changed.
   */
  readonly watchElsewhere?: (object: KubernetesObject, isNews: boolean) => Promise<number | undefined>
}

/** How soon to look again whether that is still so, in milliseconds; a change of the object is noticed at once. */
export const elsewhereMs = 24 * 60 * 60_000
