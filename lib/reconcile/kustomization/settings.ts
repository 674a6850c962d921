import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import type { DecryptionSettings } from './decryption/decryption.ts'

/** What an operator may choose, as by flags of kustomize-controller. */
export interface KustomizationSettings extends DecryptionSettings {
  /** How long to wait for a dependency or an artifact before looking again, in milliseconds. */
  readonly requeueDependencyMs: number
  /** Refuse sources of other namespaces. */
  readonly noCrossNamespaceRefs: boolean
  /** Allow sources of the kind ExternalArtifact. */
  readonly externalArtifact: boolean
  /** Fail when a variable without a default is not defined. */
  readonly strictSubstitution: boolean
  /** What one build may cost. Exceeding one fails that build alone. */
  readonly buildLimits: Limits
  /** Refuse what kustomizations name by URL. */
  readonly noRemoteBases: boolean
  /** API groups whose kustomize plugins may run (KEP-993). */
  readonly pluginGroups: readonly string[]
  /** ServiceAccount to act as when none is named. */
  readonly defaultServiceAccount?: string
  /** A readyExpr of a dependency adds to the usual check, in place of standing for it (KS-131). */
  readonly additiveReadyCheck: boolean
  /** Build in a stage of its own when a source has news, so that one build serves all who apply it. */
  readonly buildAhead: boolean
  /** Managers, by the beginning of their names, whose changes are undone like kubectl's. */
  readonly overriddenManagers: readonly string[]
  /** Kinds that are applied in a stage of their own, as `group/Kind`. */
  readonly customStageKinds: readonly string[]
  /** Move managed fields of older API versions to the one that is applied. */
  readonly migrateApiVersion: boolean
  /** Requests of one apply at a time. */
  readonly concurrentApplies: number
  /** A health check ends when a new revision or a request is waiting for it (KS-335). */
  readonly cancelHealthChecks: boolean
  /** What to do when a unit's cluster is another one than before. */
  readonly onClusterChange: OnClusterChange
  /** Deletions that look like an accident wait for approval. */
  readonly pruneGuard: boolean
  /** A health check ends as soon as one object has failed for good. */
  readonly failFast: boolean
}

export const defaultKustomizationSettings: KustomizationSettings = {
  requeueDependencyMs: 30_000,
  noCrossNamespaceRefs: false,
  externalArtifact: false,
  strictSubstitution: true,
  buildLimits: defaultBuildLimits,
  noRemoteBases: false,
  pluginGroups: [],
  additiveReadyCheck: false,
  buildAhead: false,
  overriddenManagers: [],
  customStageKinds: [],
  migrateApiVersion: false,
  concurrentApplies: 16,
  cancelHealthChecks: false,
  failFast: true,
  onClusterChange: 'ask',
  pruneGuard: true,
  verifySopsMac: true,
  objectLevelWorkloadIdentity: false,
}
