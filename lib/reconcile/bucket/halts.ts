import type { Bucket } from '../../kinds/bucket.ts'
import type { NewCondition } from '../../rules/conditions.ts'
import { Halt } from '../runtime/halt.ts'

/** The ways in which a pass over a Bucket ends early, with the conditions that source-controller sets for them. */
type BucketHalt = Halt<Bucket>

const failure = (reason: string, message: string): NewCondition => ({ status: 'True', reason, message })

/** The bucket can't be read, for now. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): BucketHalt =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** The bucket can't be read before somebody changes the spec. */
export const fetchStalled = (reason: string, message: string): BucketHalt =>
  new Halt({ type: 'stalled', reason, message, conditions: { FetchFailed: failure(reason, message) } })

export const storageFailed = (cause: unknown): BucketHalt => {
  const reason = 'ArchiveOperationFailed'
  const message = `unable to archive artifact to storage: ${cause instanceof Error ? cause.message : String(cause)}`
  const conditions = { FetchFailed: null, StorageOperationFailed: failure(reason, message) }
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}
