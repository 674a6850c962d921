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

/** Fails until the spec changes. */
export const stalled = (draft: Draft, reason: string, message: string, eventMessage = message): Halt<HelmRelease> =>
  new Halt<HelmRelease>({
    type: 'stalled',
    reason,
    message,
    event: { severity: 'error', reason, message: eventMessage },
    ...draft.change(),
  })

/** Ends the pass with the draft as it is; the next one comes after `afterMs`. */
export const waiting = (draft: Draft, afterMs: number, observed = false): Outcome<HelmRelease> => ({
  type: 'waiting',
  afterMs,
  ...(observed && { observed }),
  ...draft.change(),
})

interface FailureReport {
  /** Completes the message for the condition. */
  readonly describe?: (message: string) => string
  /** Changes the error's message to helm-controller's, for the condition and the Event. */
  readonly rewrite?: (message: string) => string
  /** Whether to send an Event, too. */
  readonly sendsEvent?: boolean
}

const unchanged = (message: string): string => message

/** Runs a step's work. An error fails the pass with the step's reason. */
export const orFailure = async <R>(
  draft: Draft,
  reason: string,
  work: () => R | Promise<R>,
  { describe = unchanged, rewrite = unchanged, sendsEvent = false }: FailureReport = {},
): Promise<R> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Halt || error instanceof TypeError || error instanceof ReferenceError) throw error
    const message = rewrite(errorMessage(error))
    throw failure(draft, reason, describe(message), sendsEvent ? { severity: 'error', reason, message } : null)
  }
}
