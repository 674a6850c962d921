import { defaultBuildLimits, type Limits } from '../../foundations/budget/budget.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'

/** What an operator may choose, as by flags of flux-operator. */
export interface ResourceSetSettings {
  /** How long to wait for a dependency before looking again, in milliseconds (RS-089). */
  readonly requeueDependencyMs: number
  /** ServiceAccount to act as when none is named, outside of the hub's own namespace (RS-106). */
  readonly defaultServiceAccount?: string
  /** What the templates of one ResourceSet may cost together. */
  readonly buildLimits: Limits
  /** What to do when a unit's cluster is another one than before. */
  readonly onClusterChange: OnClusterChange
  /** Deletions that look like an accident wait for approval. */
  readonly pruneGuard: boolean
  /** Namespace of the hub itself. */
  readonly ownNamespace: string
}

export const defaultResourceSetSettings: ResourceSetSettings = {
  requeueDependencyMs: 5_000,
  buildLimits: defaultBuildLimits,
  onClusterChange: 'ask',
  pruneGuard: true,
  ownNamespace: 'keelson-system',
}
