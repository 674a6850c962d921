import type { ReadManifest } from '../../engines/helm/release/manifest-text.ts'
import type { PostRenderer, PostRenderStrategy } from '../../engines/helm/release/post-render.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { ChartWithLock } from '../../engines/helm/release/stored-chart.ts'
import type { RenderCache } from '../../engines/helm/render-cache.ts'
import type { KStatus } from '../../engines/kstatus/result.ts'
import type { FunctionMap, ValueMap } from '../../engines/template/values/value.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ClusterClient } from '../client/client.ts'
import type { ReleaseStorage } from './storage.ts'

/** The dependencies of actions on releases. */
export interface ActionDeps {
  /** Authenticated as the user on whose behalf the release is managed. */
  readonly cluster: ClusterClient
  readonly storage: ReleaseStorage
  readonly clock: Clock
  readonly signal?: AbortSignal
  /** Reads the manifests of the pass; without it each step parses them again. */
  readonly readManifest?: ReadManifest
  /** How long a wait polls within one pass, from its start; then later passes continue it. 2 s by default. */
  readonly maxPollMs?: number
  /** Called with the output of a hook that has succeeded, if its output-log policy requests it. */
  readonly hookSucceeded?: (event: string, path: string, output: readonly string[]) => void
}

export type WaitStrategy = 'poller' | 'legacy' | 'none'

/** Parameters of all actions. */
export interface ActionRequest {
  readonly name: string
  /** The release's namespace, for objects that name none. */
  readonly namespace: string
  /** Identifies the request. An unfinished action with the same token is continued; one with another token blocks. */
  readonly token: string
  /** A description of the request that stays with the action while it is unfinished. */
  readonly inputs?: string | undefined
  /** Whether a newer request exists: then a wait by the poller ends at once; hooks and uninstallations continue. */
  readonly isCanceled?: boolean | undefined
  /** For each hook, and for the wait. */
  readonly timeoutMs: number
  readonly wait: WaitStrategy
  readonly waitForJobs: boolean
  readonly hooks: boolean
  /** `helm-controller`; helm itself uses the name of its program. */
  readonly fieldManager: string
  /** Number of versions to keep; 0 keeps all. */
  readonly maxHistory: number
  /** Evaluates health check expressions; undefined = kstatus decides. */
  readonly judge?: (object: KubernetesObject) => KStatus | undefined | Promise<KStatus | undefined>
}

export type CrdPolicy = 'Skip' | 'Create' | 'CreateReplace'

export interface ChartRequest extends ActionRequest {
  readonly chart: ChartWithLock
  readonly values: ValueMap
  readonly functions: FunctionMap
  /** Of renderings with these functions. */
  readonly cache?: RenderCache | undefined
  readonly postRenderer?: PostRenderer | undefined
  readonly postRenderStrategy?: PostRenderStrategy | undefined
  readonly schemaValidation: boolean
  readonly crds: CrdPolicy
  /** Labels for CRDs; a post-renderer sets those of other objects. */
  readonly originLabels: Readonly<Record<string, string>>
  readonly takeOwnership: boolean
}

export interface InstallRequest extends ChartRequest {
  readonly serverSideApply: boolean
  readonly createNamespace: boolean
  readonly replace: boolean
}

/** `auto`: like the previous release. */
export type ServerSideApply = 'auto' | 'enabled' | 'disabled'

export interface UpgradeRequest extends ChartRequest {
  readonly serverSideApply: ServerSideApply
  readonly force: boolean
  readonly preserveValues: boolean
  readonly cleanupOnFail: boolean
}

export interface RollbackRequest extends ActionRequest {
  /** The version to restore. */
  readonly version: number
  readonly serverSideApply: ServerSideApply
  readonly force: boolean
  readonly cleanupOnFail: boolean
}

export interface UninstallRequest extends ActionRequest {
  readonly keepHistory: boolean
  readonly propagation: 'background' | 'foreground' | 'orphan'
}

export interface TestRequest extends ActionRequest {
  readonly filters: readonly { readonly name: string; readonly exclude?: boolean | undefined }[]
}

/** `stored`: the versions that this pass wrote, newest first, as they are stored now. */
export type ActionOutcome =
  | {
      readonly state: 'finished'
      readonly release: Release
      readonly stored: readonly Release[]
      readonly logs: readonly string[]
    }
  | {
      readonly state: 'waiting'
      readonly release: Release
      readonly stored: readonly Release[]
      readonly waitingFor: string
      readonly retryAfterMs: number
    }

/** A failed action, with Helm's message. If nothing is stored, the release is unchanged. */
export class ReleaseError extends Error {
  readonly stored: readonly Release[]
  readonly logs: readonly string[]

  constructor(message: string, stored: readonly Release[], logs: readonly string[], cause?: unknown) {
    super(message, { cause })
    this.name = 'ReleaseError'
    this.stored = stored
    this.logs = logs
  }
}
