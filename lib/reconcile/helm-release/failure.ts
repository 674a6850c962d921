import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { Halt } from '../runtime/halt.ts'
import type { NewEvent, Outcome } from '../runtime/reconciler.ts'
import type { Draft } from './draft.ts'

/** Fails a step: sets Ready to False, keeps Reconciling, and retries the pass with growing delays. */
export const failure = (
  draft: Draft,
  reason: string,
  message: string,
  event: NewEvent | null = null,
): Halt<HelmRelease> =>
  new Halt<HelmRelease>({ type: 'failed', reason, message, event, keepsReconciling: true, ...draft.change() })

/** Fails for good: only another spec helps. */
export const stalled = (draft: Draft, reason: string, message: string, told = message): Halt<HelmRelease> =>
  new Halt<HelmRelease>({
    type: 'stalled',
    reason,
    message,
    event: { severity: 'error', reason, message: told },
    ...draft.change(),
  })

/** Ends the pass with the draft as it is; the next one comes after `afterMs`. */
export const waiting = (draft: Draft, afterMs: number, observed = false): Outcome<HelmRelease> => ({
  type: 'waiting',
  afterMs,
  ...(observed && { observed }),
  ...draft.change(),
})

interface FailureWords {
  /** Makes the condition's message from the error's. */
  readonly words?: (message: string) => string
  /** Makes helm-controller's message from the error's. */
  readonly told?: (message: string) => string
  /** Whether to send an Event, too. */
  readonly isTold?: boolean
}

const asItIs = (message: string): string => message

/** Runs a step's work. An error fails the pass with the step's reason. */
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
