import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { Halt } from '../runtime/halt.ts'
import type { Failed, Outcome, Stalled } from '../runtime/reconciler.ts'

type More<O extends { readonly type: string }> = Omit<O, 'type' | 'reason' | 'message'>

/** Ends a pass that can't go on for now. */
export const failure = (reason: string, message: string, more: More<Failed<ResourceSet>> = {}): Halt<ResourceSet> =>
  new Halt({ type: 'failed', reason, message, ...more })

/** Ends a pass that can't go on until the spec, or what it refers to, is changed. */
export const stall = (reason: string, message: string, more: More<Stalled<ResourceSet>> = {}): Halt<ResourceSet> =>
  new Halt({ type: 'stalled', reason, message, ...more })

/** Our own mistakes are no failures of the work: the loop reports them. */
export const isMistake = (error: unknown): boolean => error instanceof TypeError || error instanceof ReferenceError

export const outcomeOf = (error: unknown): Outcome<ResourceSet> => {
  if (error instanceof Halt) return (error as Halt<ResourceSet>).outcome
  throw error
}
