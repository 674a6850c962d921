import type { ClusterClient } from '../../clusters/client/client.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import type { Stage } from '../../platform/ports/queue.ts'

/**
 * What a kind's reconciler gives the loop. The loop owns the lease, the finalizer, suspension, the transitions of
 * Reconciling/Ready/Stalled, observedGeneration, requestedAt, back-off, due times, events and metrics; a reconciler
 * owns its kind's work only, and reads top to bottom as the story of that work.
 */
export interface Reconciler<T extends KubernetesObject> {
  readonly kind: { readonly group: string; readonly kind: string }
  /** The queue that this kind's messages travel on. */
  readonly stage: Stage
  /** Field manager of all that the loop writes into objects of this kind. */
  readonly manager: string
  /** Who Events are from; the manager when absent. */
  readonly component?: string
  /** Keeps a deleted object until it has been undone; Flux's own name when absent. */
  readonly finalizer?: string
  /** Whether the status of this kind says which generation it is about; conditions do in any case. Absent = yes. */
  readonly observesGeneration?: false
  /** Milliseconds until the next pass after `done`; the loop adds the jitter. */
  intervalOf(object: T): number
  /**
   * Milliseconds that a sound object may be left alone at most, where that is more than its interval. What is due later was stored by a
   * clock that was wrong. Infinity for one that waits for times of the calendar.
   */
  longestWaitOf?(object: T): number
  /** Milliseconds that one pass may take before its signal ends. */
  passTimeoutOf(object: T): number
  /** Fairness group of the object's messages, usually its target cluster. */
  groupOf?(object: T): string | undefined
  /**
   * Objects of one group are visited together when their intervals have passed, see visits.ts: `reconcile` keeps to what `Pass.dryRun`
   * says.
   */
  readonly isVisited?: boolean
  /** The group of those that are visited together, where it is not that of messages. */
  visitOf?(object: T): string
  /** Kinds whose news this one waits for: when one that an object refers to has news, that object is looked at again. */
  readonly reactsTo?: readonly string[]
  /** Those among them that an object may also choose by label, in its namespace. */
  readonly selects?: readonly string[]
  /**
   * Whether a change of an object of this kind is news for those that wait for it, whoever made the change. `before` is
   * absent for a new object, `after` for one that is gone.
   */
  isNews?(before: T | undefined, after: T | undefined): boolean
  /**
   * Makes ahead of a pass what others can share, a build for instance: then its messages go through the `build` stage when a
   * source has news. Nothing may depend on it having been called, or having succeeded.
   */
  prepare?(object: T, signal: AbortSignal): Promise<void>
  /** There is nothing to keep for such an object: what an earlier form of it left is undone, and nothing is written to it. */
  leavesAlone?(object: T): boolean
  /**
   * Goes on with what an earlier pass has left under way, before the object is suspended or deleted: that waits for its end.
   * Undefined when nothing is. Once it has ended, the next pass is to come at once.
   */
  endRun?(object: T, pass: Pass<T>): Promise<Outcome<T> | undefined>
  /** One pass over the object. Never sleeps for long: to wait, it ends with `waiting`. */
  reconcile(object: T, pass: Pass<T>): Promise<Outcome<T>>
  /**
   * Undoes the object before it goes, even when it is suspended. `undefined` = done, the finalizer may be removed;
   * `failed` and `waiting` leave the conditions as they are, and the finalizer in place for another try.
   */
  finalize(object: T, pass: Pass<T>): Promise<Unfinished<T> | undefined>
}

/** What the dry runs of a visit share: whoever reads first reads for all of them. */
export interface SharedReads {
  references(references: References): References
  cluster(cluster: ClusterClient): ClusterClient
}

/** Where the messages for a kind go, and whose news it waits for: what all processes must know of a reconciler in any. */
export type AddressOf<T extends KubernetesObject> = Pick<
  Reconciler<T>,
  'kind' | 'stage' | 'groupOf' | 'isVisited' | 'visitOf' | 'reactsTo' | 'selects' | 'isNews'
>

export type Addressed = AddressOf<KubernetesObject> & { readonly prepare?: unknown }

export interface Pass<T extends KubernetesObject> {
  /** Ends when the lease is lost, the process stops or the pass takes too long. */
  readonly signal: AbortSignal
  /** When the pass began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Present in a dry run: then nothing may be written, and all is read through this. see dry-run.ts. */
  readonly dryRun?: SharedReads
  /**
   * As source-controller opens a pass: Reconciling=True `reconciliation in progress`, or `processing object: new generation
   * 1 -> 2`. Stored at once when the generation is new or a request is pending, otherwise together with what comes next.
   * Ready is touched only when it was absent or Unknown.
   */
  open(): Promise<void>
  /**
   * Stores how far the pass has come: Reconciling=True Progressing `<message>`, Ready=Unknown Progressing `<ready>`
   * (the same message when absent), Stalled gone, and the changes given. Costs a write only when something changes; and
   * when it is `fleeting`, only when nothing else is stored within a moment, so that somebody could have seen it. A pass that has
   * found nothing new so far is `routine`: its progress is only stored when it takes long.
   */
  progress(
    message: string,
    change?: Change<T> & { readonly ready?: string; readonly fleeting?: boolean; readonly routine?: boolean },
  ): Promise<void>
  /**
   * Stores changes as they are, Ready, Reconciling and Stalled among them: for a kind whose conditions do not go as `progress` and the
   * outcomes have them (HelmRelease). Costs a write only when something changes.
   */
  update(change: Change<T>): Promise<void>
  event(event: NewEvent): void
}

/** Changes to the status: what is absent stays, what is null is removed. */
export interface Change<T extends KubernetesObject> {
  readonly status?: StatusChange<T>
  /** By type, besides Ready, Reconciling and Stalled: those are the loop's, but for `Pass.update` and `waiting`. */
  readonly conditions?: Readonly<Record<string, NewCondition | null>>
}

type LoopOwned = 'conditions' | 'observedGeneration' | 'lastHandledReconcileAt'

type StatusOf<T extends KubernetesObject> = T extends { readonly status?: infer S } ? NonNullable<S> : never

export type StatusChange<T extends KubernetesObject> = {
  readonly [F in Exclude<keyof StatusOf<T>, LoopOwned>]?: StatusOf<T>[F] | null
}

/** How a pass ends. The loop turns it into conditions, the next due time, and events. */
export type Outcome<T extends KubernetesObject> = Done<T> | Unfinished<T> | Stalled<T> | Resting<T>
export type Unfinished<T extends KubernetesObject> = Waiting<T> | Failed<T>

/** All is as desired: Ready=True, Reconciling and Stalled gone, the generation observed. Next pass after the interval. */
export interface Done<T extends KubernetesObject> extends Change<T> {
  readonly type: 'done'
  readonly reason: string
  readonly message: string
  /**
   * News for the objects that refer to this one (see `reactsTo`); they are enqueued.
   * `artifact`: a new artifact in the status. They learn of it before Ready=True is stored, so that a crash in between
   * leaves the pass visibly unfinished and the next one tells them again.
   * `readiness`: they wait for Ready=True, and look by themselves now and then.
   */
  readonly announce?: 'artifact' | 'readiness'
  /**
   * Nothing was new, nobody asked for the pass, and nothing was written on its way. When the status would stay as it is, too, nothing is
   * stored but the next due time. Such an outcome brings no events and no history.
   */
  readonly routine?: boolean
  /** Milliseconds until the next pass, when not the interval. */
  readonly afterMs?: number
  readonly leavesRequest?: boolean
}

/** Left alone on purpose until it is changed. Conditions stay as they are; Ready=True says why when nothing was said yet. */
export interface Resting<T extends KubernetesObject> extends Change<T> {
  readonly type: 'resting'
  readonly reason: string
  readonly message: string
}

/** Not finished, nothing wrong: next pass after `afterMs`. Conditions stay as `progress` left them, but for those given. */
interface Waiting<T extends KubernetesObject> extends Change<T> {
  readonly type: 'waiting'
  readonly afterMs: number
  /** The pass went on with an earlier one's work: what was requested meanwhile is left to the next. */
  readonly leavesRequest?: boolean
  /** The generation counts as observed. */
  readonly observed?: true
}

/** Failed, worth a retry: Ready=False, Reconciling (when set) with reason ProgressingWithRetry. */
export interface Failed<T extends KubernetesObject> extends Change<T> {
  readonly type: 'failed'
  readonly reason: string
  readonly message: string
  /** Absent = exponential back-off, as long as the failure lasts. */
  readonly afterMs?: number
  readonly leavesRequest?: boolean
  /** Reconciling stays as it is (helm-controller). */
  readonly keepsReconciling?: true
  /** Absent = a warning with the reason and message; null = none. */
  readonly event?: NewEvent | null
  /** For the log only. */
  readonly cause?: unknown
}

/** Failed until the spec changes: Stalled=True, Ready=False, no retry unless `afterMs` says when. */
export interface Stalled<T extends KubernetesObject> extends Change<T> {
  readonly type: 'stalled'
  /** Milliseconds until the next try, where something outside of the spec, such as a setting, may help. */
  readonly afterMs?: number
  readonly reason: string
  readonly message: string
  /** What Ready says, where that is not the same (source-controller's HelmChart). */
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
  /** For people who look at the object only: no notification is sent (Flux's `Trace` events). */
  readonly quiet?: true
}
