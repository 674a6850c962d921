import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'

/** What an operator may choose, as by flags and feature gates of helm-controller (HR-110, HR-111). */
export interface HelmReleaseSettings {
  /** How long to wait for a dependency or a source before looking again, in milliseconds. */
  readonly requeueDependencyMs: number
  /** Refuse sources of other namespaces. */
  readonly noCrossNamespaceRefs: boolean
  /** Allow charts from sources of the kind ExternalArtifact. */
  readonly externalArtifact: boolean
  /** ServiceAccount to act as when none is named. */
  readonly defaultServiceAccount?: string | undefined
  /** A readyExpr of a dependency adds to the usual check, in place of standing for it. */
  readonly additiveReadyCheck: boolean
  /** What rendering and expressions may cost. */
  readonly buildLimits: Limits
  /** The wait of an action ends when something newer is asked for (CancelHealthCheckOnNewRevision). */
  readonly cancelHealthChecks: boolean
  /** Failures are retried, not remediated, unless a spec says otherwise (DefaultToRetryOnFailure). */
  readonly retryOnFailure: boolean
  /** A new digest of a chart's version in an OCI registry upgrades nothing (DisableChartDigestTracking). */
  readonly ignoreChartDigests: boolean
  /** Unless a spec says otherwise: no server-side apply, Helm's own rules of waiting, and no post-rendering of hooks, as in Helm 3 (UseHelm3Defaults). */
  readonly helm3Defaults: boolean
  /** Managers, by the beginning of their names, whose changes count as drift where theirs are the fields. */
  readonly overriddenManagers: readonly string[]
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
}
