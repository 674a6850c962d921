import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import { defaultPruneLimit, type PruneLimit } from '../../foundations/kinds/prune-limit.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import type { DecryptionSettings } from './decryption/load-decryptor.ts'

/** An operator's settings, like the flags of kustomize-controller. */
export interface KustomizationSettings extends DecryptionSettings {
  /** How long to wait for a dependency or an artifact before checking again, in milliseconds. */
  readonly requeueDependencyMs: number
  /** Refuse sources in other namespaces. */
  readonly noCrossNamespaceRefs: boolean
  /** Allow sources of kind ExternalArtifact. */
  readonly externalArtifact: boolean
  /** Fail if a variable is undefined and has no default. */
  readonly strictSubstitution: boolean
  /** The budget of one build. Exceeding it fails that build alone. */
  readonly buildLimits: Limits
  /** Refuse remote bases, which kustomizations name by URL. */
  readonly noRemoteBases: boolean
  /** API groups whose kustomize plugins may run (KEP-993). */
  readonly pluginGroups: readonly string[]
  /** ServiceAccount to act as if the spec names none. */
  readonly defaultServiceAccount?: string
  /** A dependency's readyExpr adds to the built-in check instead of replacing it (KS-131). */
  readonly additiveReadyCheck: boolean
  /** Build in a stage of its own when a source changes, so that one build serves every Kustomization that applies it. */
  readonly buildAhead: boolean
  /** Managers, by prefix of their names, whose changes are undone like kubectl's. */
  readonly overriddenManagers: readonly string[]
  /** Kinds that are applied in a stage of their own, as `group/Kind`. */
  readonly customStageKinds: readonly string[]
  /** Migrate managed fields of older API versions to the one that is applied. */
  readonly migrateApiVersion: boolean
  /** Concurrent requests of one apply. */
  readonly concurrentApplies: number
  /** A new revision or a request cancels a running health check (KS-335). */
  readonly cancelHealthChecks: boolean
  /** What to do when a unit's cluster is not the one of its inventory. */
  readonly onClusterChange: OnClusterChange
  /** Deletions that look like an accident wait for approval. */
  readonly pruneGuard: boolean
  /** How long deletions wait for Kustomizations that may take the objects over, from the time of the revision, in milliseconds. */
  readonly moveWaitMs: number
  /** How much one pass over any unit may prune. */
  readonly pruneLimit: PruneLimit
  /** How many earlier builds of a unit are kept for an undo. 0 keeps none. */
  readonly undoLimit: number
  /** How long they are kept after others have replaced them, in milliseconds. */
  readonly undoTtlMs: number
  /** What is applied is kept for comparisons, also without an undo. */
  readonly keepsApplied: boolean
  /** A health check fails as soon as one object has failed permanently. */
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
  moveWaitMs: 5 * 60_000,
  pruneLimit: defaultPruneLimit,
  undoLimit: 10,
  undoTtlMs: 90 * 24 * 60 * 60_000,
  keepsApplied: false,
  verifySopsMac: true,
  objectLevelWorkloadIdentity: false,
}
