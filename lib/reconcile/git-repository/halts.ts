import { Halt } from '../runtime/halt.ts'
import { failure } from '../source-artifact/outcomes.ts'

// The ways in which a pass over a GitRepository ends early, with the conditions that source-controller sets for them: what an
// earlier pass found out about includes and storage counts no more.

const none = { FetchFailed: null, IncludeUnavailable: null, ArtifactOutdated: null, StorageOperationFailed: null }

/** The repository can't be read, for now. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { ...none, FetchFailed: failure(reason, message) } })

/** The repository can't be read before somebody changes the spec. */
export const fetchStalled = (reason: string, message: string): Halt<never> =>
  new Halt({ type: 'stalled', reason, message, conditions: { ...none, FetchFailed: failure(reason, message) } })

const notVerified = (reason: string, message: string) => ({
  FetchFailed: null,
  SourceVerified: { status: 'False', reason, message } as const,
})

/** Nobody who is trusted has signed it. */
export const unverified = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause, conditions: notVerified(reason, message) })

/** The spec asks for a signature that can't be there. */
export const unverifiable = (message: string): Halt<never> => {
  const reason = 'InvalidVerificationMode'
  return new Halt({ type: 'stalled', reason, message, conditions: notVerified(reason, message) })
}

/** An included repository has nothing to include yet. */
export const includeUnavailable = (reason: string, message: string, afterMs: number): Halt<never> =>
  new Halt({
    type: 'failed',
    reason,
    message,
    afterMs,
    event: { severity: 'info', reason, message, quiet: true },
    conditions: { StorageOperationFailed: null, IncludeUnavailable: failure(reason, message) },
  })

/** The artifact can't be put together or stored. */
export const storageFailed = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({
    type: 'failed',
    reason,
    message,
    cause,
    conditions: { FetchFailed: null, StorageOperationFailed: failure(reason, message) },
  })
