import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { Halt, isMistake } from '../runtime/halt.ts'
import type { Failed, Stalled } from '../runtime/reconciler.ts'

type More<O extends { readonly type: string }> = Omit<O, 'type' | 'reason' | 'message'>

/** Ends a pass that can't continue for now. */
export const failure = <T extends KubernetesObject>(
  reason: string,
  message: string,
  more: More<Failed<T>> = {},
): Halt<T> => new Halt({ type: 'failed', reason, message, ...more })

/** Ends a pass that can't continue until the spec, or an object it refers to, changes. */
export const stall = <T extends KubernetesObject>(
  reason: string,
  message: string,
  more: More<Stalled<T>> = {},
): Halt<T> => new Halt({ type: 'stalled', reason, message, ...more })

/**
 * Runs a part of a pass; on failure throws the result of `haltOf`. Halts, bugs in our own code and the abort of the pass are
 * rethrown unchanged.
 */
export const orHalt = async <R>(
  signal: AbortSignal,
  work: () => R | Promise<R>,
  haltOf: (error: unknown) => Error,
): Promise<R> => {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Halt || isMistake(error)) throw error
    throw haltOf(error)
  }
}
