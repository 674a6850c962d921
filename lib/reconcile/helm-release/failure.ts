import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { Halt } from '../runtime/halt.ts'
import type { NewEvent, Outcome } from '../runtime/reconciler.ts'
import type { Draft } from './draft.ts'

/** A step that fails for now: Ready is False, Reconciling stays, and the pass is tried again with growing delays. */
export const failure = (
  draft: Draft,
  reason: string,
  message: string,
  event: NewEvent | null = null,
): Halt<HelmRelease> =>
  new Halt<HelmRelease>({ type: 'failed', reason, message, event, keepsReconciling: true, ...draft.change() })

/** Nothing helps but another spec. */
export const stalled = (draft: Draft, reason: string, message: string, told = message): Halt<HelmRelease> =>
  new Halt<HelmRelease>({
    type: 'stalled',
    reason,
    message,
    event: { severity: 'error', reason, message: told },
    ...draft.change(),
  })

/** The pass ends with the draft as it is, and the next one comes after a time. */
export const waiting = (draft: Draft, afterMs: number, observed = false): Outcome<HelmRelease> => ({
  type: 'waiting',
  afterMs,
  ...(observed && { observed }),
  ...draft.change(),
})

interface FailureWords {
  /** Of the condition, from the error's. */
  readonly words?: (message: string) => string
  /** The error's words as helm-controller has them. */
  readonly told?: (message: string) => string
  /** Whether an Event tells of it, too. */
  readonly isTold?: boolean
}

const asItIs = (message: string): string => message

/** Does a step's work; when it fails, so does the pass, with the step's reason. */
export const orFailure = async <R>(
  draft: Draft,
  reason: string,
  work: () => R | Promise<R>,
  { words = asItIs, told = asItIs, isTold = false }: FailureWords = {},
): Promise<R> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Halt || error instanceof TypeError || error instanceof ReferenceError) throw error
    const message = told(errorMessage(error))
    throw failure(draft, reason, words(message), isTold ? { severity: 'error', reason, message } : null)
  }
}
