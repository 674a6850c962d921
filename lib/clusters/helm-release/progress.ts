import type { Release, ReleaseHook } from '../../engines/helm/release/release.ts'

/** The annotation of a release's Secret that says how far an action has come, or how it has ended; Helm's next write drops it. */
export const PROGRESS_ANNOTATION = 'keelson.dev/helm-action'

export type ActionName = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test'

/** The steps of all actions, in order. */
export type Step = 'before' | 'objects' | 'wait' | 'after' | 'undo'

/** What the next pass must know of an unfinished action. */
export interface Progress {
  readonly action: ActionName
  readonly token: string
  /** What the action's beginning was asked by. */
  readonly asked?: string
  readonly startedAt: number
  readonly step: Step
  /** Start time for the timeouts of hooks and waits. Milliseconds since the epoch, like all times here. */
  readonly stepStartedAt: number
  /** Objects of this step's hooks that are known to have been created: if they are missing, they are done, and must not be created again. */
  readonly created?: readonly string[]
  /** The failure of a hook of this step, while its objects are being deleted. */
  readonly hookFailure?: string
  /** The end of what that hook has written. */
  readonly hookOutput?: readonly string[]
  /** The refKeys of objects that did not exist when the action began. */
  readonly absent?: readonly string[]
  /** The version whose objects are replaced. */
  readonly from?: number
  /** The failure, while the objects that the action created are being deleted. */
  readonly failure?: string
}

/**
 * How an action has ended. It stays with the version, so that a pass which dies before it has told of the end leaves that to the next one:
 * nothing is done twice.
 */
export interface Ended extends Pick<Progress, 'action' | 'token' | 'startedAt' | 'asked'> {
  readonly hasEnded: true
  readonly failure?: string
}

/** The end of an action that has come so far. */
export const endOf = ({ action, token, startedAt, asked }: Progress, failure?: string): Ended => ({
  ...{ action, token, startedAt, hasEnded: true, ...(asked && { asked }), ...(failure !== undefined && { failure }) },
})

/** An action that begins now. */
export const beginning = (
  action: ActionName,
  { token, asked }: { readonly token: string; readonly asked?: string | undefined },
  now: number,
): Progress => ({ action, token, ...(asked && { asked }), startedAt: now, step: 'before', stepStartedAt: now })

/** What the annotation says; `digest` is that of the version as it was stored, as others may change the one and keep the other. */
export const annotationOf = (state: Progress | Ended, digest: string): string => JSON.stringify({ ...state, digest })

/** What an annotation tells of the version beside it; what can't be read, or is of another version, tells nothing. */
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

/** Whether a version is one that an action has begun and not ended, and that was asked for by the same token. */
export const isBegunBy = (
  { progress, release }: { readonly release: Release; readonly progress?: Progress | undefined },
  action: 'install' | 'upgrade' | 'rollback',
  { token }: { readonly token: string },
): boolean => progress?.action === action && progress.token === token && release.info.status === `pending-${action}`
