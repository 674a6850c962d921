import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import { defaultPruneLimit, type PruneLimit } from '../../foundations/kinds/prune-limit.ts'

/** Operators' settings, like flags and feature gates of helm-controller (HR-110, HR-111). */
export interface HelmReleaseSettings {
  /** How long to wait before checking a dependency or source again, in milliseconds. */
  readonly requeueDependencyMs: number
  /** Denies sources in other namespaces. */
  readonly noCrossNamespaceRefs: boolean
  /** Allows charts from sources of kind ExternalArtifact. */
  readonly externalArtifact: boolean
  /** The ServiceAccount to impersonate if a spec names none. */
  readonly defaultServiceAccount?: string | undefined
  /** A dependency's readyExpr is an additional check, instead of replacing the usual one. */
  readonly additiveReadyCheck: boolean
  /** Limits of rendering and expressions. */
  readonly buildLimits: Limits
  /** The wait of an action ends when something newer is requested (CancelHealthCheckOnNewRevision). */
  readonly cancelHealthChecks: boolean
  /** Retries failures instead of remediating them, unless a spec says otherwise (DefaultToRetryOnFailure). */
  readonly retryOnFailure: boolean
  /** A new digest of the same chart version in an OCI registry causes no upgrade (DisableChartDigestTracking). */
  readonly ignoreChartDigests: boolean
  /** Unless a spec says otherwise: no server-side apply, Helm's own rules of waiting, and no post-rendering of hooks, as in Helm 3 (UseHelm3Defaults). */
  readonly helm3Defaults: boolean
  /** Prefixes of managers whose changes to the release's fields count as drift. */
  readonly overriddenManagers: readonly string[]
  /** Upgrades wait for approval if they delete what looks like an accident. */
  readonly pruneGuard: boolean
  /** How much an upgrade may delete without approval. */
  readonly pruneLimit: PruneLimit
}

export const defaultHelmReleaseSettings: HelmReleaseSettings = {
  requeueDependencyMs: 30_000,
  noCrossNamespaceRefs: false,
  externalArtifact: false,
  additiveReadyCheck: false,
  buildLimits: defaultBuildLimits,
  cancelHealthChecks: false,
  retryOnFailure: false,
  ignoreChartDigests: false,
  helm3Defaults: false,
  overriddenManagers: [],
  pruneGuard: true,
  pruneLimit: defaultPruneLimit,
}
