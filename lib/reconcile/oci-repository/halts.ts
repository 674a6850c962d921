import type { OciRepository } from '../../kinds/oci-repository.ts'
import type { NewCondition } from '../../rules/conditions.ts'
import { OciError } from '../../source/oci/oci-error.ts'
import { Halt } from '../runtime/halt.ts'

/** The ways in which a pass over an OCIRepository ends early, with the conditions that source-controller sets for them. */
type OciHalt = Halt<OciRepository>

const failure = (reason: string, message: string): NewCondition => ({ status: 'True', reason, message })

/** The artifact can't be read, for now. A registry that wants to be left alone for a while is. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): OciHalt => {
  const afterMs = cause instanceof OciError ? cause.retryAfterMs : undefined
  const conditions = { FetchFailed: failure(reason, message) }
  return new Halt({ type: 'failed', reason, message, cause, conditions, ...(afterMs !== undefined && { afterMs }) })
}

/** The artifact can't be read before somebody changes the spec. */
export const fetchStalled = (reason: string, message: string): OciHalt =>
  new Halt({ type: 'stalled', reason, message, conditions: { FetchFailed: failure(reason, message) } })

/** The operator does not let objects ask for this: nothing is said of fetching. */
export const notAllowed = (message: string): OciHalt =>
  new Halt({ type: 'stalled', reason: 'FeatureGateDisabled', message })

/** Nobody who is trusted has signed the artifact. */
export const verificationFailed = (message: string, cause?: unknown): OciHalt => {
  const reason = 'VerificationError'
  const conditions = { SourceVerified: { status: 'False', reason, message } } as const
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}

/** The artifact can't be stored. */
export const storageFailed = (message: string, cause: unknown): OciHalt => {
  const reason = 'ArchiveOperationFailed'
  return new Halt({
    type: 'failed',
    reason,
    message,
    cause,
    conditions: { FetchFailed: null, StorageOperationFailed: failure(reason, message) },
  })
}

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
