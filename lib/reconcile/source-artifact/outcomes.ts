import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { Halt } from '../runtime/halt.ts'
import type { Done, Pass } from '../runtime/reconciler.ts'
import type { Source } from './source.ts'

export type Conditions = Readonly<Record<string, NewCondition | null>>

/** The outcome of a pass whose artifact is stored: removes the failures of earlier passes. */
export const succeeded = (message: string, conditions: Conditions = {}, reason = 'Succeeded'): Done<never> => ({
  type: 'done',
  reason,
  message,
  conditions: {
    ...conditions,
    ArtifactInStorage: { status: 'True', reason, message },
    ArtifactOutdated: null,
    FetchFailed: null,
    StorageOperationFailed: null,
  },
})

/** Enqueues the source's dependents if the artifact has changed. */
export const enqueueDependents = (
  { digest, revision }: Artifact,
  before: Artifact | undefined,
): Pick<Done<never>, 'triggersDependents'> =>
  digest === before?.digest && revision === before.revision ? {} : { triggersDependents: 'artifact' }

/** Reports that a new artifact is being built, and marks the previous one, if any, as outdated. */
export const noticeOutdated = <T extends Source>(
  pass: Pass<T>,
  before: unknown,
  {
    reason,
    message,
    conditions,
  }: { readonly reason: string; readonly message: string; readonly conditions: Conditions },
): Promise<void> =>
  pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { ...conditions, ...(before ? { ArtifactOutdated: failure(reason, message) } : {}) },
  })

/** The same for another revision, with a message such as `new upstream revision 'main@sha1:…'`. */
export const noticeNewRevision = <T extends Source>(
  pass: Pass<T>,
  before: Artifact | undefined,
  message: string,
  conditions: Conditions = { FetchFailed: null },
): Promise<void> =>
  noticeOutdated(pass, before, {
    reason: 'NewRevision',
    message,
    conditions: { ...conditions, ArtifactOutdated: null },
  })

/**
 * Call before work that is only needed after a change: a dry run ends here, and the pass that follows does the work.
 */
export const endDryRun = ({ dryRun }: Pick<Pass<Source>, 'dryRun'>, what: string): void => {
  if (dryRun) throw new WouldWrite(what)
}

/** A condition of a failure. */
export const failure = (reason: string, message: string): NewCondition => ({ status: 'True', reason, message })

/** The source can't be read now. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** The source can't be read until a spec changes. */
export const fetchStalled = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'stalled', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** The artifact can't be stored; `what` is the failed step: `archive artifact`. */
export const storageFailed =
  (what: string) =>
  (cause: unknown): never => {
    const reason = 'ArchiveOperationFailed'
    const message = `unable to ${what} to storage: ${errorMessage(cause)}`
    const conditions = { FetchFailed: null, StorageOperationFailed: failure(reason, message) }
    throw new Halt({ type: 'failed', reason, message, cause, conditions })
  }
