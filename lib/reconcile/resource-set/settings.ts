import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import { defaultPruneLimit, type PruneLimit } from '../../foundations/kinds/prune-limit.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'

/** An operator's settings, like the flags of flux-operator. */
export interface ResourceSetSettings extends CrossNamespaceSettings {
  /** How long to wait for a dependency before checking again, in milliseconds (RS-089). */
  readonly requeueDependencyMs: number
  /** ServiceAccount to act as if the spec names none, outside the hub's own namespace (RS-106). */
  readonly defaultServiceAccount?: string
  /** The budget for all templates of one ResourceSet. */
  readonly buildLimits: Limits
  /** What to do when a unit's cluster is not the one of its inventory. */
  readonly onClusterChange: OnClusterChange
  /** Deletions that look like an accident wait for approval. */
  readonly pruneGuard: boolean
  /** How much one pass over any unit may prune. */
  readonly pruneLimit: PruneLimit
  /** Namespace of the hub itself. */
  readonly ownNamespace: string
}

export const defaultResourceSetSettings: ResourceSetSettings = {
  noCrossNamespaceRefs: false,
  requeueDependencyMs: 5_000,
  buildLimits: defaultBuildLimits,
  onClusterChange: 'ask',
  pruneGuard: true,
  pruneLimit: defaultPruneLimit,
  ownNamespace: 'keelson-system',
}
