import type { ReleaseHook } from '../../engines/helm/release/release.ts'

/** The annotation of a release's Secret that says how far an action has come; Helm's next write drops it. */
export const PROGRESS_ANNOTATION = 'keelson.dev/helm-action'

export type ActionName = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test'

/** Steps of all actions, in the order in which they come. */
export type Step = 'before' | 'objects' | 'wait' | 'after' | 'undo'

/** What the next pass must know of an action that has begun and not ended. */
export interface Progress {
  readonly action: ActionName
  readonly token: string
  readonly startedAt: number
  readonly step: Step
  /** Hooks and waits are timed from here. Milliseconds since the epoch, as all times here. */
  readonly stepStartedAt: number
  /** Of this step's hooks, those that are known to have been created: gone then means done, never to be made again. */
  readonly created?: readonly string[]
  /** What a hook of this step has failed with, while its objects are deleted. */
  readonly hookFailure?: string
  /** Objects that were not there when the action began, by refKey. */
  readonly absent?: readonly string[]
  /** The version whose objects are replaced. */
  readonly from?: number
  /** What went wrong, while what the action had created is taken away again. */
  readonly failure?: string
}

/** The progress that an annotation tells; what can't be read tells nothing. */
export const readProgress = (text: string | undefined): Progress | undefined => {
  if (text === undefined) return undefined
  try {
    const progress = JSON.parse(text) as Partial<Progress>
    return typeof progress.action === 'string' && typeof progress.stepStartedAt === 'number'
      ? (progress as Progress)
      : undefined
  } catch {
    return undefined
  }
}

/** Whether a hook has begun to run in this step: an event before may have run the same hook. */
export const hasBegun = ({ last_run }: ReleaseHook, { stepStartedAt }: Progress): boolean =>
  last_run.started_at !== undefined && Date.parse(last_run.started_at) >= stepStartedAt
