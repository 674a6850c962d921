import { Halt } from '../runtime/halt.ts'
import { failure } from '../source-artifact/outcomes.ts'

// How a pass over a GitRepository ends early, with source-controller's conditions for each case: conditions of earlier
// passes about includes and storage are removed.

const none = { FetchFailed: null, IncludeUnavailable: null, ArtifactOutdated: null, StorageOperationFailed: null }

/** The repository can't be read now. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { ...none, FetchFailed: failure(reason, message) } })

/** The repository can't be read until the spec changes. */
export const fetchStalled = (reason: string, message: string): Halt<never> =>
  new Halt({ type: 'stalled', reason, message, conditions: { ...none, FetchFailed: failure(reason, message) } })

const notVerified = (reason: string, message: string) => ({
  FetchFailed: null,
  SourceVerified: { status: 'False', reason, message } as const,
})

/** There is no signature of a trusted key. */
export const unverified = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause, conditions: notVerified(reason, message) })

/** The spec requires a signature that can't exist. */
export const unverifiable = (message: string): Halt<never> => {
  const reason = 'InvalidVerificationMode'
  return new Halt({ type: 'stalled', reason, message, conditions: notVerified(reason, message) })
}

/** An included repository has no artifact yet. */
export const includeUnavailable = (reason: string, message: string, afterMs: number): Halt<never> =>
  new Halt({
    type: 'failed',
    reason,
    message,
    afterMs,
    isWait: true,
    event: { severity: 'info', reason, message, quiet: true },
    conditions: { StorageOperationFailed: null, IncludeUnavailable: failure(reason, message) },
  })

/** The artifact can't be assembled or stored. */
export const storageFailed = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({
    type: 'failed',
    reason,
    message,
    cause,
    conditions: { FetchFailed: null, StorageOperationFailed: failure(reason, message) },
  })
