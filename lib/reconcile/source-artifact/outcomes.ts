import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { Halt } from '../runtime/halt.ts'
import type { Done, Pass } from '../runtime/reconciler.ts'
import type { Source } from './source.ts'

export type Conditions = Readonly<Record<string, NewCondition | null>>

/** The outcome of a pass that has its artifact in storage: the failures of earlier passes are withdrawn. */
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

/** Those who wait for the source hear of an artifact that is not the one before. */
export const dependentsNews = (
  { digest, revision }: Artifact,
  before: Artifact | undefined,
): Pick<Done<never>, 'announce'> =>
  digest === before?.digest && revision === before.revision ? {} : { announce: 'artifact' }

/** Says that an artifact is being made, and that the one before, if there is one, is outdated. */
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

/** To be called before work that only a change asks for: a dry run leaves it to the pass that follows. */
export const leaveToPass = ({ dryRun }: Pick<Pass<Source>, 'dryRun'>, what: string): void => {
  if (dryRun) throw new WouldWrite(what)
}

/** A condition that tells of something that is wrong. */
export const failure = (reason: string, message: string): NewCondition => ({ status: 'True', reason, message })

/** The source can't be read, for now. */
export const fetchFailed = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** The source can't be read before somebody changes a spec. */
export const fetchStalled = (reason: string, message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'stalled', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

/** The artifact can't be stored; `what` says which step of that: `archive artifact`. */
export const storageFailed =
  (what: string) =>
  (cause: unknown): never => {
    const reason = 'ArchiveOperationFailed'
    const message = `unable to ${what} to storage: ${errorMessage(cause)}`
    const conditions = { FetchFailed: null, StorageOperationFailed: failure(reason, message) }
    throw new Halt({ type: 'failed', reason, message, cause, conditions })
  }
