import type { KubernetesObject } from '../kinds/object.ts'
import { kubeConfigOfSet, namedTarget, type TargetReference } from '../kinds/target-reference.ts'

/** `provider` of a ConfigMap in `spec.kubeConfig`: a runner applies to the cluster, as the hub can't reach it. */
export const runnerProvider = 'runner'

/** Whether a Secret or ConfigMap with the access to a cluster leaves that cluster to a runner. */
export const isRunnerAccess = (access: KubernetesObject | undefined): boolean =>
  access?.kind === 'ConfigMap' &&
  (access.data as Readonly<Record<string, unknown>> | undefined)?.provider === runnerProvider

interface Unit extends KubernetesObject {
  readonly spec?: { readonly kubeConfig?: unknown }
}

/**
 * The access that an object names in its own `spec.kubeConfig`, or in the annotation that ResourceSets have in its place: only there it may name that of a
 * runner, not where a target is inherited.
 */
export const ownAccess = (object: KubernetesObject): TargetReference | undefined =>
  (object as Unit).spec?.kubeConfig || kubeConfigOfSet(object) ? namedTarget(object) : undefined
