import type { KubernetesObject } from '../kinds/object.ts'

/** `provider` of a ConfigMap in `spec.kubeConfig`: a runner applies to the cluster, as the hub can't reach it. */
export const runnerProvider = 'runner'

/** Whether a Secret or ConfigMap with the access to a cluster leaves that cluster to a runner. */
export const isRunnerAccess = (access: KubernetesObject | undefined): boolean =>
  access?.kind === 'ConfigMap' &&
  (access.data as Readonly<Record<string, unknown>> | undefined)?.provider === runnerProvider
