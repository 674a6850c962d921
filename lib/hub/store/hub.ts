import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Lease } from '../../platform/ports/leases.ts'

/**
 * Objects with Kubernetes semantics over the object store: resourceVersion conflicts, generation, finalizers, owner
 * references, field managers, server-side apply, validation and defaults. The API server puts HTTP in front of it;
 * reconcilers use it as it is. Every failure is an ApiError in an API server's words.
 *
 * Objects come in their kind's storage version and are shared between readers: to change one, write a changed copy.
 */
export interface Hub {
  get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined>
  list<T extends KubernetesObject>(query: HubListQuery): Promise<HubList<T>>
  /** The same listing, of one moment, in parts of a bounded size: at least one. Fails with Expired when it takes too long. */
  pages<T extends KubernetesObject>(query: HubListQuery): AsyncIterable<HubPage<T>>
  create<T extends KubernetesObject>(object: T, options: WriteOptions): Promise<T>
  /** Replaces the object; `metadata.resourceVersion`, when given, must be the stored one. */
  update<T extends KubernetesObject>(object: T, options: WriteOptions): Promise<T>
  patch<T extends KubernetesObject>(ref: ObjectRef, patch: Patch, options: PatchOptions): Promise<T>
  /**
   * With finalizers the object only gets a deletionTimestamp; it goes when the last finalizer is removed.
   * Returns its last state: finalizers in it say that it is still there.
   */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<KubernetesObject>
  watch(query: HubWatchQuery): AsyncIterable<HubEvent>
  /** Objects that refer to a source, a Secret... through their spec; paged by the store, so safe for large fan-outs. */
  referrers(target: ObjectRef): AsyncIterable<ObjectRef>
}

export interface WriteOptions {
  /** Recorded in managedFields. */
  readonly fieldManager: string
  readonly dryRun?: boolean
  /** `finalize` is that of Namespaces: their spec.finalizers. */
  readonly subresource?: 'status' | 'finalize'
  /** The change only happens while this lease is current. */
  readonly fence?: Lease
  /**
   * When the loop must look at the object next (ms since the epoch); left as it is when absent, none when null. Together
   * with a resourceVersion in the object or patch it can't put off a change that the writer has not seen.
   */
  readonly due?: number | null
  /** The due time to be replaced: when somebody has moved it since, the earlier of both stays. */
  readonly dueSeen?: number
  /** Who asks, where that is a caller of the API: left in objects that are suspended or to be reconciled (see authorship.ts). */
  readonly user?: string
  /** The namespace may hold only so much (see docs/operations.md): what is written for a tenant counts. */
  readonly isBounded?: boolean
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Asked before a change is checked and stored, which it refuses by failing; `old` is absent for a new object. */
  readonly admit?: (object: KubernetesObject, old?: KubernetesObject) => Promise<void>
  /** Receives warnings in an API server's words (unknown fields, deprecated versions). */
  readonly onWarning?: (warning: string) => void
}

export interface PatchOptions extends WriteOptions {
  /** The version of the kind that a JSON, merge or strategic patch is written for; absent = the storage version. */
  readonly version?: string
  /** Server-side apply: take over fields that other managers own. */
  readonly force?: boolean
  /** Hears that server-side apply made the object. */
  readonly onCreated?: () => void
}

export type Patch =
  | { readonly type: 'json'; readonly operations: readonly unknown[] }
  | { readonly type: 'merge'; readonly patch: unknown }
  | { readonly type: 'strategic'; readonly patch: unknown }
  | { readonly type: 'apply'; readonly object: KubernetesObject }

export interface DeleteOptions {
  /** Absent = Background, unless the object's finalizers say otherwise. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly uid?: string
  readonly resourceVersion?: string
  readonly dryRun?: boolean
}

export interface HubListQuery {
  readonly group: string
  readonly kind: string
  /** Absent = all namespaces. */
  readonly namespace?: string
  /** Kubernetes selector syntax. */
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
}

export interface HubList<T> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continue?: string
}

/** A part of a listing. */
export interface HubPage<T> {
  readonly items: readonly Listed<T>[]
  readonly resourceVersion: string
  /** Where another listing would go on. */
  readonly continue?: string
  /** Objects that could not be read. */
  readonly damaged?: readonly ObjectRef[]
}

/** An object of which only its JSON has been read: it is parsed when it is asked for. */
export interface Listed<T> {
  readonly json: string
  readonly object: T
}

export interface HubWatchQuery extends Omit<HubListQuery, 'limit' | 'continue'> {
  /** A resourceVersion of this collection: of a list or of an event. */
  readonly after: string
  readonly signal: AbortSignal
  /** Hears of versions whose change the query hides: the watch may be resumed after them. */
  readonly onProgress?: (resourceVersion: string) => void
}

export interface HubEvent<T extends KubernetesObject = KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: T
}

/** metav1.Status reasons this hub answers with. */
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
