import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'

/** An object of any kind with an artifact. */
export interface Source extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly artifact?: Artifact
    readonly url?: string
    readonly observedGeneration?: number
    readonly lastHandledReconcileAt?: string
  }
}
