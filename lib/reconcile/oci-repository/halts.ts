import { OciError } from '../../sources/oci/oci-error.ts'
import { Halt } from '../runtime/halt.ts'
import { failure } from '../source-artifact/outcomes.ts'

// The ways in which a pass over an OCIRepository ends early beyond those of all sources, with the conditions that
// source-controller sets for them.

/** The artifact can't be read, for now. A registry that wants to be left alone for a while is. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): Halt<never> => {
  const afterMs = cause instanceof OciError ? cause.retryAfterMs : undefined
  const conditions = { FetchFailed: failure(reason, message) }
  return new Halt({ type: 'failed', reason, message, cause, conditions, ...(afterMs !== undefined && { afterMs }) })
}

/** The operator does not let objects ask for this: nothing is said of fetching. */
export const notAllowed = (message: string): Halt<never> =>
  new Halt({ type: 'stalled', reason: 'FeatureGateDisabled', message })

/** Nobody who is trusted has signed the artifact. */
export const verificationFailed = (message: string, cause?: unknown): Halt<never> => {
  const reason = 'VerificationError'
  const conditions = { SourceVerified: { status: 'False', reason, message } } as const
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}
