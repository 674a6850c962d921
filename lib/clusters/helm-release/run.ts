import { HelmError } from '../../engines/helm/helm-error.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { InvalidRelease } from '../../engines/helm/release/stored-release.ts'
import { BudgetExceeded } from '../../foundations/budget/budget.ts'
import { ClusterError } from '../client/client.ts'
import { type ActionDeps, type ActionOutcome, ReleaseError } from './action.ts'
import { type Progress, resultOf, type Step } from './progress.ts'
import { isTransient, type StoredRelease } from './storage.ts'

/** Nothing has failed, but waiting takes longer than the pass: the next one continues. */
export class NotYet extends Error {
  readonly waitingFor: string
  readonly retryAfterMs: number

  constructor(waitingFor: string, retryAfterMs: number) {
    super(`waiting for ${waitingFor}`)
    this.name = 'NotYet'
    this.waitingFor = waitingFor
    this.retryAfterMs = retryAfterMs
  }
}

/** Helm's message while another action is pending. */
export const IN_PROGRESS = 'another operation (install/upgrade/rollback) is in progress'

/** An action has failed, with Helm's message. */
export class ActionFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ActionFailed'
  }
}

/** Prefixes a failure's message with the operation, like Helm; returns errors that only need a retry unchanged. */
export const withContext = (what: string, error: unknown): unknown =>
  isFailure(error) ? new ActionFailed(`${what}: ${(error as Error).message}`, error) : error

/** Whether Helm would report the error to its user. */
const isFailure = (error: unknown): boolean =>
  !isTransient(error) &&
  [ClusterError, ActionFailed, HelmError, InvalidRelease, BudgetExceeded].some(kind => error instanceof kind)

/** One pass of an action: the version that it works on, and all its writes. */
export interface ActionRun {
  readonly deps: ActionDeps
  /** The stored version that the action works on. Throws before the first write. */
  readonly current: StoredRelease & { readonly progress: Progress }
  readonly logs: string[]
  /** Sets the version to work on: a new one, or a stored one on which an action has begun. */
  begin(stored: StoredRelease): void
  /** Changes the version that the action works on; written with the next write. */
  change(release: Release): void
  /** Writes the version that the action works on. */
  record(release: Release, progress?: Partial<Progress>): Promise<void>
  /**
   * Enters a step, whose hooks and waits are timed from now. It is stored with the next write, or at the end of the pass: if the process dies
   * before, the previous step is repeated and finds its work done.
   */
  enter(step: Step): void
  /** Writes another version. */
  settle(release: Release): Promise<void>
  /** Writes the version that the action works on, with the result of the action. */
  end(release: Release, failure?: string): Promise<void>
}

/** Runs a pass, and converts its end into an outcome. */
export const runAction = async (
  deps: ActionDeps,
  pass: (run: ActionRun) => Promise<Release>,
): Promise<ActionOutcome> => {
  const written = new Map<number, Release>()
  const logs: string[] = []
  const stored = () => [...written.values()].sort((a, b) => b.version - a.version)
  let current: StoredRelease | undefined
  let isUnwritten = false
  const run: ActionRun = {
    deps,
    logs,
    get current() {
      if (!current?.progress) throw new Error('the action has not begun')
      return { release: current.release, progress: current.progress }
    },
    begin: begun => {
      current = begun
      written.set(begun.release.version, begun.release)
    },
    change: release => {
      current = { release, progress: run.current.progress }
    },
    record: async (release, progress) => {
      current = await deps.storage.update(release, { ...run.current.progress, ...progress })
      isUnwritten = false
      written.set(release.version, release)
    },
    enter: step => {
      const { created, hookFailure, hookOutput, ...rest } = run.current.progress
      const progress = { ...rest, step, stepStartedAt: deps.clock.now() }
      current = { release: run.current.release, progress }
      isUnwritten = true
    },
    settle: async release => {
      await deps.storage.update(release)
      written.set(release.version, release)
    },
    end: async (release, failure) => {
      await deps.storage.update(release, resultOf(run.current.progress, failure))
      written.set(release.version, release)
    },
  }
  try {
    return { state: 'finished', release: await pass(run), stored: stored(), logs }
  } catch (error) {
    if (error instanceof NotYet) {
      if (isUnwritten) await run.record(run.current.release)
      return {
        ...{ state: 'waiting', release: run.current.release, stored: stored() },
        ...{ waitingFor: error.waitingFor, retryAfterMs: error.retryAfterMs },
      }
    }
    if (isFailure(error)) throw new ReleaseError((error as Error).message, stored(), logs, error)
    throw error
  }
}

/** How the failure of a version is stored. */
export interface FailureHandler {
  /** The version that is stored. */
  failedVersion(message: string): Release
  /** Helm's prefix of the failure; the stored version omits it. */
  readonly summary?: string
  /** Reverts what the action has done, before the version is written. */
  undo?(message: string): Promise<void>
}

/** Runs the steps of an action. Stores a failure that Helm would report as the end of the release, then throws it. */
export const orFail = async (
  run: ActionRun,
  steps: () => Promise<void>,
  handlerOf: () => FailureHandler,
): Promise<void> => {
  try {
    const { failure } = run.current.progress
    if (failure !== undefined) throw new ActionFailed(failure)
    await steps()
  } catch (error) {
    if (!isFailure(error)) throw error
    const { message } = error as Error
    const { failedVersion, summary, undo } = handlerOf()
    let cause = summary === undefined ? error : withContext(summary, error)
    try {
      await undo?.(message)
    } catch (second) {
      if (!isFailure(second)) throw second
      cause = second
    }
    await run.end(failedVersion(message), (cause as Error).message)
    throw cause
  }
}

/** An RFC 3339 time. */
export const timeOf = (ms: number): string => new Date(ms).toISOString()
