import type { KubernetesObject } from '../../kinds/object.ts'

/**
 * What a kind's reconciler gives the loop. The loop owns the lease, the finalizer, suspension, the transitions of
 * Reconciling/Ready/Stalled, observedGeneration, requestedAt, back-off, due times, events and metrics; a reconciler
 * owns its kind's work only, and reads top to bottom as the story of that work.
 */
export interface Reconciler<T extends KubernetesObject> {
  readonly kind: { readonly group: string; readonly kind: string }
  /** One pass over the object. Never sleeps for long: to wait, it ends with `waiting`. */
  reconcile(object: T, pass: Pass<T>): Promise<Outcome<T>>
  /** Undoes the object before it goes. `undefined` = done, the finalizer may be removed. */
  finalize(object: T, pass: Pass<T>): Promise<Outcome<T> | undefined>
}

export interface Pass<T extends KubernetesObject> {
  /** Ends when the lease is lost, the process stops or the pass takes too long. */
  readonly signal: AbortSignal
  /** Writes progress into the status at once (`Reconciling=True Progressing: <message>`), plus other status fields to keep. */
  progress(message: string, status?: StatusOf<T>): Promise<void>
  event(event: NewEvent): void
}

export type StatusOf<T> = T extends { readonly status?: infer S } ? Partial<NonNullable<S>> : never

/** How a pass ends. The loop turns it into conditions, the next due time, and events. */
export type Outcome<T extends KubernetesObject> =
  /** All is as desired: Ready=True. Looked at again after the kind's interval. */
  | {
      readonly type: 'done'
      readonly reason: string
      readonly message: string
      readonly status?: StatusOf<T>
    }
  /** Not finished, nothing wrong: looked at again after `afterMs`. Conditions stay as `progress` left them unless given. */
  | {
      readonly type: 'waiting'
      readonly afterMs: number
      readonly reason?: string
      readonly message?: string
      readonly status?: StatusOf<T>
    }
  /** Failed, worth a retry: Ready=False, after the retry interval or back-off. */
  | {
      readonly type: 'failed'
      readonly reason: string
      readonly message: string
      /** Absent = exponential back-off. */
      readonly afterMs?: number
      readonly status?: StatusOf<T>
      readonly cause?: unknown
    }
  /** Failed until the spec changes: Stalled=True, Ready=False, no retry. */
  | {
      readonly type: 'stalled'
      readonly reason: string
      readonly message: string
      readonly status?: StatusOf<T>
      readonly cause?: unknown
    }

export interface NewEvent {
  readonly severity: 'info' | 'error'
  readonly reason: string
  readonly message: string
  /** Annotations such as the revision, without secrets. */
  readonly metadata?: Readonly<Record<string, string>>
}
