import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Outcome } from './reconciler.ts'

/** The outcome of a pass over what an earlier spec of the object says: Ready is about that `generation`. */
export const withGeneration = <T extends KubernetesObject>(outcome: Outcome<T>, generation: number): Outcome<T> =>
  outcome.type === 'done' || outcome.type === 'failed' || outcome.type === 'stalled'
    ? { ...outcome, ofGeneration: generation }
    : outcome
