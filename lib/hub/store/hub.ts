import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import type { Collection } from '../../platform/ports/objects.ts'

/**
 * Objects with Kubernetes semantics on top of the object store: resourceVersion conflicts, generation, finalizers, owner references, field
 * managers, server-side apply, validation and defaults. The API server serves it over HTTP; reconcilers use it directly. Every failure is an
 * ApiError with an API server's message.
 *
 * Objects are in their kind's storage version and shared between readers: to change one, write a modified copy.
 */
export interface Hub {
  get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined>
  list<T extends KubernetesObject>(query: HubListQuery): Promise<HubList<T>>
  /** The same list, from one point in time, in pages of limited size: at least one. Fails with Expired if it takes too long. */
  pages<T extends KubernetesObject>(query: HubListQuery): AsyncIterable<HubPage<T>>
  create<T extends KubernetesObject>(object: T, options: WriteOptions): Promise<T>
  /** Replaces the object; `metadata.resourceVersion`, if given, must match the stored one. */
  update<T extends KubernetesObject>(object: T, options: WriteOptions): Promise<T>
  patch<T extends KubernetesObject>(ref: ObjectRef, patch: Patch, options: PatchOptions): Promise<T>
  /**
   * If the object has finalizers, only sets its deletionTimestamp; the object is removed with its last finalizer. Returns the last state: if
   * it has finalizers, the object still exists.
   */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<KubernetesObject>
  watch(query: HubWatchQuery): AsyncIterable<HubEvent>
  /** Objects whose specs refer to a source, a Secret..., all or those of one kind; paged by the store, so safe for large fan-outs. */
  referrers(target: ObjectRef, of?: Collection): AsyncIterable<ObjectRef>
  /** Who made the generation of this unit: a user, or the unit that applied it; undefined if unknown, or if it is no longer the current one. */
  changedBy(unit: KubernetesObject): Promise<string | undefined>
}

export interface WriteOptions {
  /** Recorded in managedFields. */
  readonly fieldManager: string
  readonly dryRun?: boolean
  /** `finalize` is that of Namespaces: their spec.finalizers. */
  readonly subresource?: 'status' | 'finalize'
  /** The write only happens while this lease is held. */
  readonly fence?: Lease
  /**
   * When the loop must reconcile the object next (ms since the epoch); unchanged if absent, none if null. Together with a resourceVersion in
   * the object or patch, it can't postpone a change that the writer has not seen.
   */
  readonly due?: number | null
  /** The due time to replace: if it has changed since, the earlier of both is kept. */
  readonly dueSeen?: number
  /** The user, if the caller of the API: recorded with units (see changers.ts), and in objects that are suspended or requested to reconcile (see authorship.ts). */
  readonly user?: string
  /** Enforces the namespace's limits (see docs/operations.md), which apply to writes on behalf of tenants. */
  readonly isBounded?: boolean
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Called before a change is validated and stored; refuses it by throwing; `old` is absent for a new object. */
  readonly admit?: (object: KubernetesObject, old?: KubernetesObject) => Promise<void>
  /** Receives warnings as in an API server (unknown fields, deprecated versions). */
  readonly onWarning?: (warning: string) => void
}

export interface PatchOptions extends WriteOptions {
  /** The version of the kind that a JSON, merge or strategic merge patch is for; the storage version if absent. */
  readonly version?: string
  /** Server-side apply: take over fields that other managers own. */
  readonly force?: boolean
  /** Called if server-side apply created the object. */
  readonly onCreated?: () => void
}

export type Patch =
  | { readonly type: 'json'; readonly operations: readonly unknown[] }
  | { readonly type: 'merge'; readonly patch: unknown }
  | { readonly type: 'strategic'; readonly patch: unknown }
  | { readonly type: 'apply'; readonly object: KubernetesObject }

export interface DeleteOptions {
  /** Background if absent, unless the object's finalizers determine otherwise. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly uid?: string
  readonly resourceVersion?: string
  readonly dryRun?: boolean
  /** The user, if the caller of the API: recorded with units (see changers.ts). */
  readonly user?: string
}

export interface HubListQuery {
  readonly group: string
  readonly kind: string
  /** All namespaces if absent. */
  readonly namespace?: string
  /** Kubernetes selector syntax. */
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  /** How many objects are read together: more of them take fewer requests, and more memory. */
  readonly pageSize?: number
}

export interface HubList<T> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continue?: string
}

/** A page of a list. */
export interface HubPage<T> {
  readonly items: readonly Listed<T>[]
  readonly resourceVersion: string
  /** Where another list would continue. */
  readonly continue?: string
  /** Objects that could not be read. */
  readonly damaged?: readonly ObjectRef[]
}

/** An object that is still JSON text: parsed on demand. */
export interface Listed<T> {
  readonly json: string
  readonly object: T
}

export interface HubWatchQuery extends Omit<HubListQuery, 'limit' | 'continue'> {
  /** A resourceVersion of this collection: of a list or of an event. */
  readonly after: string
  readonly signal: AbortSignal
  /** Called with versions whose changes the query excludes: the watch can be resumed after them. */
  readonly onProgress?: (resourceVersion: string) => void
  /** Ends the watch after the changes that were made before it began. */
  readonly untilNow?: boolean
}

export interface HubEvent<T extends KubernetesObject = KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: T
}

/** metav1.Status reasons of this hub's errors. */
export type ApiErrorReason =
  /** Unknown. */
  | ''
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'RequestEntityTooLarge'
  | 'Timeout'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'InsufficientStorage'

export interface StatusCause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

/** A metav1.Status as an exception. The message is the one Kubernetes gives. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: ApiErrorReason
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly causes?: readonly StatusCause[]
    readonly retryAfterSeconds?: number
  }
  constructor(code: number, reason: ApiErrorReason, message: string, details?: ApiError['details']) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.reason = reason
    if (details) this.details = details
  }
}
