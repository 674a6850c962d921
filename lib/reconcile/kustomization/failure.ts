import { outageOf } from '../../clusters/apply/apply-error.ts'
import { BudgetExceeded } from '../../foundations/budget/budget.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { retryIntervalOf } from '../../foundations/kinds/kustomization.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { clusterUnreachable, describeOutage } from '../../foundations/rules/outage.ts'
import { maxBackOffMs } from '../../foundations/rules/schedule.ts'
import { failure as failureOf, orHalt } from '../applied-objects/failure.ts'
import { Halt } from '../runtime/halt.ts'
import { describeOverBudget } from '../runtime/over-budget.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import type { Revision } from './events.ts'
import { eventMetadata } from './events.ts'

/** Ends a pass that can't continue for now. Fills in retry interval and event if they are not given. */
export const failure = failureOf<Kustomization>

/** An expression in the spec is malformed: stalls until the spec changes. Names the revision if it is known. */
export const invalidExpression = (message: string, revision?: Revision): Halt<Kustomization> => {
  const reason = 'InvalidCELExpression'
  const text = `Reconciliation failed terminally due to configuration error: ${message}`
  const event = { severity: 'error', reason, message: text, metadata: eventMetadata(revision ?? {}) } as const
  return new Halt({ type: 'stalled', reason, message: text, event })
}

/**
 * The build exceeds its budget: stalls until the source, the spec or the limit changes. A new source or spec is
 * tried immediately.
 */
const overBudget = (error: BudgetExceeded): Halt<Kustomization> =>
  new Halt({
    type: 'stalled',
    reason: 'BuildFailed',
    message: `kustomize build failed: ${describeOverBudget(error)}`,
    afterMs: maxBackOffMs,
    cause: error,
  })

/**
 * Runs a stage's work; if it fails, so does the pass, with the stage's reason and the error's message. Bugs in our own code
 * and the abort of the pass are rethrown unchanged.
 */
export const orFailure = <R>(reason: string, signal: AbortSignal, work: () => R | Promise<R>): Promise<R> =>
  orHalt(signal, work, error => {
    if (error instanceof BudgetExceeded) return overBudget(error)
    const outage = outageOf(error)
    if (outage) return failure(clusterUnreachable, describeOutage(outage), { cause: error })
    return failure(reason, errorMessage(error), { cause: error })
  })

/** The outcome that a halt carries; failures are retried after the retry interval, and their events name the revision. */
export const outcomeOf =
  (kustomization: Kustomization, revision: Partial<Revision> = {}) =>
  (error: unknown): Outcome<Kustomization> => {
    if (!(error instanceof Halt)) throw error
    const outcome = (error as Halt<Kustomization>).outcome
    if (outcome.type === 'stalled' && outcome.cause instanceof BudgetExceeded) {
      const { reason, message } = outcome
      return { ...outcome, event: { severity: 'error', reason, message, metadata: eventMetadata(revision) } }
    }
    if (outcome.type !== 'failed') return outcome
    const { reason, message, afterMs = retryIntervalOf(kustomization), event } = outcome
    const metadata = eventMetadata(revision)
    return {
      ...outcome,
      afterMs,
      event: event === null ? null : { severity: 'error', reason, message, metadata, ...event },
    }
  }
