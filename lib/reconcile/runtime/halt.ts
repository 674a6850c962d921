import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Outcome } from './reconciler.ts'

/** Ends a pass early, from any depth, with the outcome it carries. */
export class Halt<T extends KubernetesObject> extends Error {
  readonly outcome: Outcome<T>
  constructor(outcome: Outcome<T>) {
    super(outcome.type === 'waiting' ? 'waiting' : outcome.message)
    this.name = 'Halt'
    this.outcome = outcome
  }
}

/** Returns the outcome that a Halt carries, for `attempt(...).catch(…)`; rethrows any other error. */
export const outcomeOfHalt = (error: unknown): Outcome<never> => {
  if (error instanceof Halt) return (error as Halt<never>).outcome
  throw error
}

/** A bug in our own code: not a failure of the work, so the loop reports it. */
export const isMistake = (error: unknown): boolean => error instanceof TypeError || error instanceof ReferenceError
