import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Outage } from '../../foundations/rules/outage.ts'
import type { ClusterIdentity } from './cluster-identity.ts'
import type { Tally } from './tally.ts'

/**
 * A Kubernetes API for the apply engine: a remote cluster over HTTPS, or the hub in the same process. Failures are
 * ClusterErrors; they never contain a token or Secret data.
 */
export interface ClusterClient {
  /** For messages: the server's address without credentials, or `hub`. */
  readonly server: string
  /** Closes the breaker unless a request has failed since: another process knows that the cluster has responded so many milliseconds ago. */
  hasResponded?(agoMs: number): void
  /** Identifies server and user: equal for clients that read the same objects. Absent if unknown. */
  readonly access?: { readonly connection: object; readonly user: string }
  /** Other owners use the same lists: then one list costs less than getting objects one by one. */
  readonly sharesLists?: boolean
  /** The identity of the cluster, see `ClusterIdentities`; `fresh` bypasses the cache. */
  identity(fresh?: boolean, options?: CallOptions): Promise<ClusterIdentity>
  /**
   * The resource of a kind. Runs discovery again once if the kind is unknown, then fails with `no matches for kind
   * ...`.
   */
  resourceFor(apiVersion: string, kind: string, options?: CallOptions): Promise<ApiResource>
  /** The kind in the version that the cluster prefers; undefined if it does not serve the kind. */
  resourceInAnyVersion(group: string, kind: string, options?: CallOptions): Promise<ApiResource | undefined>
  /** Every kind that the cluster serves, each in its preferred version. Fails if discovery is incomplete. */
  resources(options?: CallOptions): Promise<readonly ApiResource[]>
  /**
   * By apiVersion, a hash of the schemas that the cluster serves: it changes when they do.
   * Empty for clusters that do not publish it (before Kubernetes 1.27, or if the user may not read it).
   */
  schemaHashes(options?: CallOptions): Promise<ReadonlyMap<string, string>>
  /**
   * The server's version as it reports it (v1.33.4-gke.1245000); `fresh` bypasses the cache. Absent for the hub itself.
   */
  serverVersion?(options?: CallOptions & { readonly fresh?: boolean }): Promise<string>
  /** The response of `/readyz`, whatever its status: a line for each check if one fails. Absent for clients that only know objects. */
  readiness?(options?: CallOptions): Promise<{ readonly status: number; readonly body: string }>
  /**
   * All served `group/version` and `group/version/Kind`; `fresh` bypasses the cache. Absent if the client renders no
   * charts.
   */
  servedVersions?(options?: CallOptions & { readonly fresh?: boolean }): Promise<readonly string[]>
  /** The last lines of a container's log. Absent if the API has no pods. */
  podLog?(pod: { readonly namespace: string; readonly name: string }, options: PodLogOptions): Promise<string>
  /** Creates a subresource of an object that is an action, such as `deliveries/redeliver`. Absent for clients that only apply. */
  act?(apiVersion: string, ref: ObjectRef, action: string, options?: CallOptions): Promise<KubernetesObject>
  get(apiVersion: string, ref: ObjectRef, options?: GetOptions): Promise<KubernetesObject | undefined>
  /** A document of the API that is not an object, by its path with a query. Absent if the client only knows objects. */
  document?(path: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>
  /** Sends JSON to a path of the API, and returns the response. Absent if the client only knows objects. */
  submit?(request: Submission, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>
  /** Lists all pages. */
  list(query: ClusterListQuery, options?: CallOptions): Promise<ClusterList>
  /** Server-side apply. In a dry run, an object that would be created comes back without `metadata.resourceVersion`. */
  apply(object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject>
  create(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject>
  patch(
    apiVersion: string,
    ref: ObjectRef,
    patch: JsonPatch | MergePatch,
    options: PatchOptions,
  ): Promise<KubernetesObject>
  /** Fails with a ClusterError if `delete` would refuse to delete the object without a request. Absent where nothing is protected. */
  requireDeletable?(ref: ObjectRef, options: CallOptions): Promise<void>
  /** Undefined if it is already gone. */
  delete(apiVersion: string, ref: ObjectRef, options: DeleteOptions): Promise<KubernetesObject | undefined>
}

export interface ApiResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Where the requests of the call are counted. */
  readonly tally?: Tally | undefined
}

export interface Submission {
  readonly method: 'POST' | 'PATCH'
  readonly path: string
  readonly contentType: string
  readonly body: object
}

export interface GetOptions extends CallOptions {
  /** Only metadata (PartialObjectMetadata). */
  readonly metadataOnly?: boolean
}

export interface PodLogOptions extends CallOptions {
  readonly container: string
  /** Of the run before the current one. */
  readonly previous?: boolean
  readonly tailLines: number
  readonly limitBytes: number
}

export interface ClusterListQuery {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Maximum number of objects; absent = all. */
  readonly limit?: number
  /** Only metadata (PartialObjectMetadata). */
  readonly metadataOnly?: boolean
}

export interface ClusterList {
  /** With apiVersion and kind filled in. */
  readonly items: readonly KubernetesObject[]
  readonly resourceVersion: string
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager: string
  readonly dryRun?: boolean
  /** Refuse unknown fields; without it the server may drop them. */
  readonly fieldValidation?: 'Strict' | undefined
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: 'status'
}

export interface ApplyOptions extends WriteOptions {
  readonly force: boolean
}

export interface DeleteOptions extends CallOptions {
  readonly propagation: 'Background' | 'Foreground' | 'Orphan'
  /** Deletes exactly this object: a new one of the same name is a `conflict`. */
  readonly uid?: string
}

export interface JsonPatch {
  readonly type: 'json'
  readonly operations: readonly unknown[]
}

export interface MergePatch {
  readonly type: 'merge'
  readonly patch: unknown
}

export type ClusterErrorCode =
  /** DNS, connection, TLS, timeout: no response from the cluster. */
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'alreadyExists'
  | 'conflict'
  /** Schema, admission or immutable field: see `message`. */
  | 'invalid'
  /** The cluster does not serve the kind. */
  | 'noMatch'
  | 'throttled'
  | 'server'

interface ClusterErrorOptions {
  readonly outage?: Outage | undefined
  readonly status?: number
  readonly reason?: string
  readonly causes?: readonly ErrorCause[]
  readonly cause?: unknown
}

/** A detail of a refusal (metav1.StatusCause). */
export interface ErrorCause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

export class ClusterError extends Error {
  readonly code: ClusterErrorCode
  /** HTTP status, if there was a response. */
  readonly status?: number
  /** The reason of the response's metav1.Status (`Invalid`, `Forbidden`...), if it had one. */
  readonly reason?: string
  readonly causes: readonly ErrorCause[]
  /** For `unreachable`, if it is known which cluster that is. */
  readonly outage?: Outage
  constructor(code: ClusterErrorCode, message: string, options: ClusterErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ClusterError'
    this.code = code
    this.causes = options.causes ?? []
    if (options.status !== undefined) this.status = options.status
    if (options.reason !== undefined) this.reason = options.reason
    if (options.outage !== undefined) this.outage = options.outage
  }
}
