/** The bodies of requests of runners to their hub, below `/runner/v1/`, and of the responses. See docs/decisions/0055-runners.md. */
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Plan } from '../../foundations/kinds/plan.ts'
import type { RunContent } from '../../foundations/kinds/run.ts'
import type { Undo } from '../../foundations/kinds/undo.ts'
import type { Order, OrderResult, OrderType } from './orders.ts'

export const runnerPath = '/runner/v1/'

/** The lifetime of a runner's lease on its cluster, in milliseconds, unless the hub gives another. */
export const runnerLeaseMs = 30_000

export interface EnrolRequest {
  readonly cluster: string
  readonly token: string
  /** The runner's Ed25519 key: DER of a SubjectPublicKeyInfo, in base64. */
  readonly publicKey: string
}

/** Everything but `enrol` and `sync` names the lease that the runner holds. */
export interface Leased {
  /** Its fencing token. */
  readonly lease: number
}

export interface SyncRequest extends Partial<Leased> {
  /** Version of the runner: with its first request, and once the hub has another version. */
  readonly version?: string
  /** With the version: which orders it takes. */
  readonly takes?: readonly OrderType[]
  /** The lease of an earlier process with the same data folder: it ends, and this runner takes the next one. */
  readonly resumes?: number
  /** The digest of the copy that the runner has. */
  readonly known?: string
  /** Requests a WakeUp. */
  readonly waits?: boolean
  /** The runner knows the request `wait`: a WakeUp may be one that the hub holds. Earlier runners did not. */
  readonly holds?: boolean
  /** Only renews the lease and the WakeUp: the known copy is not compared, which costs the hub a read of each object. */
  readonly renews?: boolean
}

export interface SyncResponse extends Leased {
  readonly digest: string
  /** Version of the hub. */
  readonly hub: string
  /** Absent if the digest is the known one. */
  readonly copy?: Copy
  /** Those without a result: the runner works on each once, and hands the result over with `complete`. Not there if the request only renews. */
  readonly orders?: readonly Order[]
  /** How long the lease is held, in milliseconds. */
  readonly leaseMs?: number
  /** Absent if the runner has not requested it, or is to poll every few seconds. */
  readonly wakeUp?: WakeUp
}

/** How a runner learns of changes without polling for them. */
export type WakeUp = QueuedWakeUp | HeldWakeUp

/** At a queue. */
export interface QueuedWakeUp {
  /** A GET waits there for up to 20 seconds; its response has a `<Message>` if there may be news. It authorizes itself: a secret. */
  readonly url: string
  /** After how many milliseconds to poll in any case, and to request another WakeUp. */
  readonly pollAfterMs: number
}

/** In a request `wait`, which the hub holds. */
export interface HeldWakeUp {
  /** What the copy of this response covers, in the hub's own count: for the request. */
  readonly seen: number
  /** For how many milliseconds the hub holds the request. */
  readonly heldMs: number
}

/** Holds the request until there may be news that the copy does not have. */
export interface WaitRequest extends Leased {
  readonly seen: number
  /** For how many milliseconds, up to `heldMs`. */
  readonly forMs: number
}

export interface WaitResponse {
  /** Whether there may be news. */
  readonly news: boolean
}

/** What the units of a cluster need of the hub. */
export interface Copy {
  /** The Cluster and its units. */
  readonly own: readonly KubernetesObject[]
  /** What they refer to. */
  readonly others: readonly KubernetesObject[]
  /** By key of a ResourceSet: the objects among the others that it may copy data from, as `Kind/namespace/name`. */
  readonly data?: Readonly<Record<string, readonly string[]>>
  /** By key of a unit whose spec no pass has observed: the user who has changed it, as far as the hub knows. */
  readonly changedBy?: Readonly<Record<string, string>>
  /** Settings of the hub that decide what a unit may do. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** Replaces the runner's key. */
export interface RenewRequest extends Leased {
  /** As in `EnrolRequest`. */
  readonly publicKey: string
  /** By the new key: as that of a request with this path and the public key as its body. */
  readonly signature: string
}

/** About one unit of the runner, or its Cluster. */
interface AboutObject extends Leased {
  readonly ref: ObjectRef
  readonly uid: string
}

export interface ReportRequest extends AboutObject {
  /** The version that the report replaces. */
  readonly resourceVersion: string
  /** The whole status. */
  readonly status?: unknown
  /** What it had applied is deleted, so the object may go. */
  readonly finalized?: boolean
  /** It goes back by itself, as what it has applied has failed; or, with null, does so no longer. */
  readonly goesBack?: Required<Undo> | null
}

export interface ReportResponse {
  /** Undefined once the object is gone. */
  readonly resourceVersion?: string | undefined
}

export interface EventRequest extends AboutObject {
  readonly component: string
  readonly occurrence: {
    readonly severity: 'info' | 'error'
    readonly reason: string
    readonly message: string
    readonly metadata?: Readonly<Record<string, string>>
    readonly quiet?: true
  }
}

/** The Run of a pass, as the runner has it now. */
export interface RunRequest extends AboutObject {
  /** When it began, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly content: RunContent
  /** Equal for failures that are alike. */
  readonly alike?: string
  readonly repeats: number
  readonly repeatedAt?: number
}

/** About the HelmChart of a HelmRelease: has it applied from the stored spec, or deleted. */
export interface ChartRequest extends AboutObject {
  readonly dryRun?: boolean
  readonly remove?: Pick<ObjectRef, 'namespace' | 'name'>
}

export interface ChartResponse {
  /** Absent if it was to be deleted. */
  readonly chart?: KubernetesObject
}

/** About a Plan of a unit: one of the three. */
export interface PlanRequest extends AboutObject {
  /** Name of the Plan. */
  readonly name: string
  readonly create?: Pick<Plan, 'spec' | 'changes' | 'moreChanges'>
  readonly status?: NonNullable<Plan['status']>
  readonly remove?: true
}

/** The result of an order. */
export interface CompleteRequest extends AboutObject {
  /** Of the order. */
  readonly id: string
  readonly result: OrderResult
}

export interface ArtifactRequest extends Leased {
  /** Name in the artifact store. */
  readonly name: string
}

export interface ArtifactResponse {
  /** Base64. */
  readonly content: string
}
