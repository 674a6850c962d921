import { OciError } from '../../sources/oci/oci-error.ts'
import { Halt } from '../runtime/halt.ts'
import { failure } from '../source-artifact/outcomes.ts'

// How a pass over an OCIRepository ends early, beyond the cases of all sources, with source-controller's conditions.

/** The artifact can't be read now. Honors the registry's Retry-After. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): Halt<never> => {
  const afterMs = cause instanceof OciError ? cause.retryAfterMs : undefined
  const conditions = { FetchFailed: failure(reason, message) }
  return new Halt({ type: 'failed', reason, message, cause, conditions, ...(afterMs !== undefined && { afterMs }) })
}

/** The feature gate is off; sets no condition about fetching. */
export const notAllowed = (message: string): Halt<never> =>
  new Halt({ type: 'stalled', reason: 'FeatureGateDisabled', message })

/** There is no signature of a trusted key. */
export const verificationFailed = (message: string, cause?: unknown): Halt<never> => {
  const reason = 'VerificationError'
  const conditions = { SourceVerified: { status: 'False', reason, message } } as const
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}
