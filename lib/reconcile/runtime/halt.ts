import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Outcome } from './reconciler.ts'

/** Ends a pass early, from any depth of it, with the outcome that it carries. */
export class Halt<T extends KubernetesObject> extends Error {
  readonly outcome: Outcome<T>
  constructor(outcome: Outcome<T>) {
    super(outcome.type === 'waiting' ? 'waiting' : outcome.message)
    this.name = 'Halt'
    this.outcome = outcome
  }
}

/** The outcome that a Halt carries, to end `attempt(...).catch(…)` with; any other error is thrown on. */
export const outcomeOfHalt = (error: unknown): Outcome<never> => {
  if (error instanceof Halt) return (error as Halt<never>).outcome
  throw error
}

/** A bug of ours: no failure of the work, so the loop reports it. */
export const isMistake = (error: unknown): boolean => error instanceof TypeError || error instanceof ReferenceError
