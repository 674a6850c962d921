import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { AccessDenied } from '../../hub/references/access-denied.ts'
import { Halt, isMistake } from '../runtime/halt.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { FeatureGateDisabled } from '../source-artifact/cloud-access-of.ts'

type Provider = ResourceSetInputProvider

/** Fails until the spec changes. */
export const terminal = (reason: string, message: string): Halt<Provider> =>
  new Halt({
    type: 'stalled',
    reason,
    message: `Reconciliation failed terminally due to configuration error: ${message}`,
  })

/** External failures are retried; programming errors are left to the loop. */
export const outcomeOf =
  (signal: AbortSignal) =>
  (error: unknown): Outcome<Provider> => {
    if (error instanceof Halt) return (error as Halt<Provider>).outcome
    if (error instanceof AccessDenied) return terminal('AccessDenied', error.message).outcome
    if (error instanceof FeatureGateDisabled) return terminal('FeatureGateDisabled', error.message).outcome
    signal.throwIfAborted()
    if (isMistake(error)) throw error
    const message = `reconciliation failed: ${errorMessage(error)}`
    return { type: 'failed', reason: 'ReconciliationFailed', message, cause: error }
  }
