import type { ClusterClient } from '../../clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../foundations/kinds/plan.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import type { Stage } from '../../platform/ports/queue.ts'
import type { Note } from './pass-notes.ts'

/**
 * What a kind's reconciler provides to the loop. The loop owns the lease, the finalizer, suspension, the transitions of
 * Reconciling/Ready/Stalled, observedGeneration, requestedAt, back-off, due times, events and metrics; a reconciler
 * owns only its kind's work, and reads top to bottom in the order of that work.
 */
export interface Reconciler<T extends KubernetesObject> {
  readonly kind: { readonly group: string; readonly kind: string }
  /** The queue that this kind's messages travel on. */
  readonly stage: Stage
  /** Field manager of everything that the loop writes into objects of this kind. */
  readonly manager: string
  /** Source of Events; the manager when absent. */
  readonly component?: string
  /** Finalizer of the kind; Flux's own name when absent. */
  readonly finalizer?: string
  /** Whether this kind's status has observedGeneration; its conditions always do. Absent = yes. */
  readonly observesGeneration?: false
  /** A suspended object's generation counts as observed even when the object is not ready (helm-controller). */
  readonly observesSuspended?: true
  /** Milliseconds until the next pass after `done`; the loop adds the jitter. */
  intervalOf(object: T): number
  /**
   * Maximum milliseconds between passes over a healthy object, where that is more than its interval. A later due time is from a
   * wrong clock. Infinity for a kind that waits for calendar times.
   */
  maxWaitOf?(object: T): number
  /** Timeout of one pass, in milliseconds. */
  passTimeoutOf(object: T): number
  /** Fairness group of the object's messages, usually its target cluster. */
  groupOf?(object: T): string | undefined
  /**
   * Objects of one group are visited together once their intervals have passed, see visits.ts; `reconcile` must then respect
   * `Pass.dryRun`.
   */
  readonly isVisited?: boolean
  /** The group for visits, where it differs from that of messages. */
  visitOf?(object: T): string
  /** Kinds this one depends on: when an object changes, those that refer to it are reconciled. */
  readonly reactsTo?: readonly string[]
  /** Whether a change to an object of those kinds is no news for this one. */
  ignores?(object: T, changed: ObjectRef): boolean
  /** It stores data of Secrets, which must not outlive them: every change to a Secret triggers it, whatever the Secret's labels. */
  readonly followsSecrets?: true
  /** Kinds among those that it depends on of which a changed spec triggers it at once: they have no reconciler, or it need not wait for that. */
  readonly followsSpecsOf?: readonly string[]
  /** Those of them that an object may also select by label, in its namespace. */
  readonly selects?: readonly string[]
  /**
   * Whether a change to an object of this kind triggers its dependents, whichever client made it. `before` is
   * absent for a created object, `after` for a deleted one.
   */
  isNews?(before: T | undefined, after: T | undefined): boolean
  /** Objects whose referrers must also be reconciled after a change to an object of this kind. */
  affects?(before: T | undefined, after: T | undefined): readonly ObjectRef[]
  /**
   * Prepares, ahead of a pass, what several passes can share, such as a build: messages then go through the `build` stage when a
   * source changes. A pass must not rely on it: the call may not happen, or fail.
   */
  prepare?(object: T, signal: AbortSignal): Promise<void>
  /** Such an object is not reconciled: the results of an earlier version are cleaned up, and nothing is written to it. */
  leavesAlone?(object: T): boolean
  /**
   * Continues work of an earlier pass before the object is suspended or deleted: both wait for it to end.
   * Undefined if nothing is in progress. When it ends, the next pass follows immediately.
   */
  endRun?(object: T, pass: Pass<T>): Promise<Outcome<T> | undefined>
  /** What a pass would change now. The pass must be a dry run. Fails with the reason if that can't be found. */
  preview?(object: T, pass: Pass<T>): Promise<PreviewedPlan>
  /** Its passes are recorded as Runs: it is a unit. */
  readonly leavesRuns?: true
  /** One pass over the object. Never blocks for long: to wait, it returns `waiting`. */
  reconcile(object: T, pass: Pass<T>): Promise<Outcome<T>>
  /**
   * Cleans up before the object is deleted, even when it is suspended. `undefined` = done, the finalizer may be removed;
   * `failed` and `waiting` leave conditions and finalizer in place for another try.
   */
  finalize(object: T, pass: Pass<T>): Promise<Unfinished<T> | undefined>
}

/** Reads that the dry runs of a visit share: each is done once, for all of them. */
export interface SharedReads {
  references(references: References): References
  cluster(cluster: ClusterClient): ClusterClient
  /** Any other read: reads with equal keys share one result. The key must contain all that the result depends on, including credentials. */
  once<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** The route of a kind's messages, and its dependencies: every process needs them, whichever reconcilers it runs. */
export type AddressOf<T extends KubernetesObject> = Pick<
  Reconciler<T>,
  | 'kind'
  | 'stage'
  | 'groupOf'
  | 'isVisited'
  | 'visitOf'
  | 'reactsTo'
  | 'ignores'
  | 'followsSecrets'
  | 'followsSpecsOf'
  | 'selects'
  | 'isNews'
  | 'affects'
>

export type Addressed = AddressOf<KubernetesObject> & { readonly prepare?: unknown }

export interface Pass<T extends KubernetesObject> {
  /** Aborts when the lease is lost, the process stops or the pass times out. */
  readonly signal: AbortSignal
  /** When the pass began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Present in a dry run: the pass must not write, and must read through this. See dry-run.ts. */
  readonly dryRun?: SharedReads
  /** The cluster of a unit, as far as what restrains the unit lets it use that: for everything that it sends there. */
  confine(cluster: ClusterClient): Promise<ClusterClient>
  /**
   * Opens a pass as source-controller does: Reconciling=True `reconciliation in progress`, or `processing object: new generation
   * 1 -> 2`. Stored at once if the generation is new or a request is pending, otherwise together with the next change.
   * Ready changes only if it was absent or Unknown.
   */
  open(): Promise<void>
  /**
   * Stores the progress of the pass: Reconciling=True Progressing `<message>`, Ready=Unknown Progressing `<ready>`
   * (the same message when absent), Stalled removed, and the given changes. Writes only if something changes. `fleeting` progress
   * is written only if it lasts long enough to be seen. `routine` progress, of a pass that has found nothing new, is written only
   * if the pass takes long.
   */
  progress(
    message: string,
    change?: StatusUpdate<T> & { readonly ready?: string; readonly fleeting?: boolean; readonly routine?: boolean },
  ): Promise<void>
  /**
   * Stores changes as given, including Ready, Reconciling and Stalled: for a kind whose conditions do not follow `progress` and the
   * outcomes (HelmRelease). Writes only if something changes. `fleeting` changes are written only if they last long enough to be seen; a dry run
   * without other changes has nothing to do.
   */
  update(change: StatusUpdate<T>, options?: { readonly fleeting?: boolean }): Promise<void>
  event(event: NewEvent): void
  /** Notes what is done, for the Run of the pass. */
  note(note: Note): void
}

/** Changes to the status: an absent field stays, null removes one. */
export interface StatusUpdate<T extends KubernetesObject> {
  readonly status?: StatusChange<T>
  /** By type. Ready, Reconciling and Stalled belong to the loop, except in `Pass.update` and `waiting`. */
  readonly conditions?: Readonly<Record<string, NewCondition | null>>
}

type LoopOwned = 'conditions' | 'observedGeneration' | 'lastHandledReconcileAt'

type StatusOf<T extends KubernetesObject> = T extends { readonly status?: infer S } ? NonNullable<S> : never

export type StatusChange<T extends KubernetesObject> = {
  readonly [F in Exclude<keyof StatusOf<T>, LoopOwned>]?: StatusOf<T>[F] | null
}

/** How a pass ends. The loop turns it into conditions, the next due time, and events. */
export type Outcome<T extends KubernetesObject> = Done<T> | Unfinished<T> | Stalled<T> | Resting<T> | Held<T>
export type Unfinished<T extends KubernetesObject> = Waiting<T> | Failed<T>

/** An outcome with a new Ready. */
interface Judged<T extends KubernetesObject> extends StatusUpdate<T> {
  /** The generation that Ready is about, if the object's spec waits: an earlier one. */
  readonly ofGeneration?: number
}

/** Success: Ready=True, Reconciling and Stalled removed, the generation observed. Next pass after the interval. */
export interface Done<T extends KubernetesObject> extends Judged<T> {
  readonly type: 'done'
  readonly reason: string
  readonly message: string
  /**
   * Enqueues the objects that refer to this one (see `reactsTo`).
   * `artifact`: the status has a new artifact. Dependents are enqueued before Ready=True is stored, so that a crash in between
   * leaves the pass visibly unfinished and the next pass enqueues them again.
   * `readiness`: dependents wait for Ready=True, and also poll now and then.
   */
  readonly triggersDependents?: 'artifact' | 'readiness'
  /**
   * Nothing was new, nobody requested the pass, and it wrote nothing. If the status would not change either, only the next due time is
   * stored. Such an outcome adds no events and no history.
   */
  readonly routine?: boolean
  /** Milliseconds until the next pass, if not the interval. */
  readonly afterMs?: number
  readonly leavesRequest?: boolean
}

/** Not reconciled on purpose, until it is changed. Conditions stay as they are; if there is no Ready yet, Ready=True has the reason. */
export interface Resting<T extends KubernetesObject> extends StatusUpdate<T> {
  readonly type: 'resting'
  readonly reason: string
  readonly message: string
}

/**
 * Nothing may be done now, and nothing was: changes that `progress` stored are reverted, and only the given changes remain. Ready stays as it
 * was; if there is none yet, Ready=Unknown has the reason.
 */
export interface Held<T extends KubernetesObject> extends StatusUpdate<T> {
  readonly type: 'held'
  readonly reason: string
  readonly message: string
  /** Milliseconds until the next pass, if not the interval. */
  readonly afterMs?: number
  /** What waits is a change that can be planned. */
  readonly isChange?: boolean
}

/** Not finished, nothing wrong: next pass after `afterMs`. Conditions stay as `progress` left them, except those given. */
interface Waiting<T extends KubernetesObject> extends StatusUpdate<T> {
  readonly type: 'waiting'
  readonly afterMs: number
  /** The pass continued an earlier one's work: a request in the meantime is handled by the next pass. */
  readonly leavesRequest?: boolean
  /** The generation counts as observed. */
  readonly observed?: true
}

/** Failed, will be retried: Ready=False, Reconciling (if set) with reason ProgressingWithRetry. */
export interface Failed<T extends KubernetesObject> extends Judged<T> {
  readonly type: 'failed'
  readonly reason: string
  readonly message: string
  /** Absent = exponential back-off for as long as the failure lasts. */
  readonly afterMs?: number
  readonly leavesRequest?: boolean
  /** Reconciling stays as it is (helm-controller). */
  readonly keepsReconciling?: true
  /** Absent = a warning with the reason and message; null = none. */
  readonly event?: NewEvent | null
  /** Not an error: it waits for another object, or for another pass. Logged at level info, as by Flux's controllers. */
  readonly isWait?: true
  /** For the log only. */
  readonly cause?: unknown
}

/** Failed until the spec changes: Stalled=True, Ready=False, no retry unless `afterMs` is set. */
export interface Stalled<T extends KubernetesObject> extends Judged<T> {
  readonly type: 'stalled'
  /** Milliseconds until a retry, if a change outside the spec, such as a setting, may resolve the failure. */
  readonly afterMs?: number
  readonly reason: string
  readonly message: string
  /** The message of Ready, where it differs (source-controller's HelmChart). */
  readonly ready?: { readonly reason: string; readonly message: string }
  /** The generation does not count as observed (kustomize-controller's AccessDenied). */
  readonly unobserved?: true
  readonly event?: NewEvent | null
  readonly cause?: unknown
}

export interface NewEvent {
  readonly severity: 'info' | 'error'
  readonly reason: string
  readonly message: string
  /** Annotations such as `source.toolkit.fluxcd.io/revision`, without secrets. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Only shown on the object: no notification is sent (Flux's `Trace` events). */
  readonly quiet?: true
}
