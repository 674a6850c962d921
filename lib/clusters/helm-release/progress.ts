import type { Release, ReleaseHook } from '../../engines/helm/release/release.ts'

/** The annotation of a release's Secret with the progress or the result of an action; Helm's next write drops it. */
export const PROGRESS_ANNOTATION = 'keelson.dev/helm-action'

export type ActionName = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test'

/** The steps of all actions, in order. */
export type Step = 'before' | 'objects' | 'wait' | 'after' | 'undo'

/** The progress of an unfinished action, for the next pass. */
export interface Progress {
  readonly action: ActionName
  readonly token: string
  /** The description of the request that began the action. */
  readonly inputs?: string
  readonly startedAt: number
  readonly step: Step
  /** Start time for the timeouts of hooks and waits. Milliseconds since the epoch, like all times here. */
  readonly stepStartedAt: number
  /** Objects of this step's hooks that are known to have been created: if they are missing, they are done, and must not be created again. */
  readonly created?: readonly string[]
  /** The failure of a hook of this step, while its objects are being deleted. */
  readonly hookFailure?: string
  /** The last lines of that hook's output. */
  readonly hookOutput?: readonly string[]
  /** The refKeys of objects that did not exist when the action began. */
  readonly absent?: readonly string[]
  /** The version whose objects are replaced. */
  readonly from?: number
  /** The failure, while the objects that the action created are being deleted. */
  readonly failure?: string
}

/**
 * The result of an action. It stays with the version: if the process dies before it reports the result, the next pass does, instead of
 * repeating the action.
 */
export interface Ended extends Pick<Progress, 'action' | 'token' | 'startedAt' | 'inputs'> {
  readonly hasEnded: true
  readonly failure?: string
}

/** The result of an action with this progress. */
export const resultOf = ({ action, token, startedAt, inputs }: Progress, failure?: string): Ended => ({
  ...{ action, token, startedAt, hasEnded: true, ...(inputs && { inputs }), ...(failure !== undefined && { failure }) },
})

/** The progress of an action that begins now. */
export const initialProgress = (
  action: ActionName,
  { token, inputs }: { readonly token: string; readonly inputs?: string | undefined },
  now: number,
): Progress => ({ action, token, ...(inputs && { inputs }), startedAt: now, step: 'before', stepStartedAt: now })

/** The annotation's text. `digest` is of the stored version: if another client changes that and keeps the annotation, they no longer match. */
export const annotationOf = (state: Progress | Ended, digest: string): string => JSON.stringify({ ...state, digest })

/** Parses the annotation of a version. Ignores text that is malformed, or was written for another version. */
export const readAnnotation = (
  text: string | undefined,
  digest: string,
): { readonly progress?: Progress; readonly ended?: Ended } => {
  if (text === undefined) return {}
  try {
    const { digest: written, ...state } = JSON.parse(text) as Partial<Progress & Ended> & { readonly digest?: string }
    if (typeof state.action !== 'string') return {}
    if (state.hasEnded) return written === digest ? { ended: state as Ended } : {}
    return typeof state.stepStartedAt === 'number' ? { progress: state as Progress } : {}
  } catch {
    return {}
  }
}

/** Whether a hook has begun to run in this step: an earlier event may have run the same hook. */
export const hasBegun = ({ last_run }: ReleaseHook, { stepStartedAt }: Progress): boolean =>
  last_run.started_at !== undefined && Date.parse(last_run.started_at) >= stepStartedAt

/** Whether a version belongs to an unfinished action with the same token. */
export const isBegunBy = (
  { progress, release }: { readonly release: Release; readonly progress?: Progress | undefined },
  action: 'install' | 'upgrade' | 'rollback',
  { token }: { readonly token: string },
): boolean => progress?.action === action && progress.token === token && release.info.status === `pending-${action}`
