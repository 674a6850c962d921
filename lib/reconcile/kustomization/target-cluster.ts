import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { type OnClusterChange, onChangeOf } from '../../foundations/rules/cluster-binding.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import { configMapKind, type References, secretKind } from '../../hub/references/references.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { failure } from './failure.ts'
import type { KustomizationSettings } from './settings.ts'

export interface TargetPorts {
  readonly references: References
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  /** The hub as a cluster, for Kustomizations without a kubeConfig; as its own identity unless another is named. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
}

export interface Target {
  readonly cluster: ClusterClient
  /** What to do when it is another cluster than before. */
  readonly onClusterChange: OnClusterChange
}

/**
 * The cluster that a Kustomization applies to, as the identity it acts as: that of its kubeconfig, the hub's own, or a
 * ServiceAccount's. The Secret is read anew each time, so that a rotated token counts at once (KS-219). Fails with an error
 * that names the Secret and the key, never their content.
 */
export const targetCluster = async (
  { references, clusters, hubCluster }: TargetPorts,
  kustomization: Kustomization,
  settings: KustomizationSettings,
): Promise<Target> => {
  const { namespace = '' } = kustomization.metadata
  const { kubeConfig } = kustomization.spec
  const impersonate = impersonationOf(accountOf(kustomization, settings))
  const onChange = (...access: readonly KubernetesObject[]) =>
    onChangeOf(settings.onClusterChange, kustomization, ...access)
  if (!kubeConfig) return { cluster: hubCluster(impersonate), onClusterChange: onChange() }
  const { secretRef: reference, configMapRef } = kubeConfig
  if (configMapRef) {
    const configMap = await references.local(kustomization, configMapKind, configMapRef.name)
    if (!configMap)
      throw new Error(
        `failed to get configmap ${namespace}/${configMapRef.name}: configmaps "${configMapRef.name}" not found`,
      )
    return { cluster: await clusters.fromConfigMap(configMap, impersonate), onClusterChange: onChange(configMap) }
  }
  if (!reference) throw new Error('spec.kubeConfig names neither a Secret nor a ConfigMap')
  const secret = await references.local(kustomization, secretKind, reference.name)
  if (!secret) {
    throw new Error(
      `unable to read KubeConfig secret '${namespace}/${reference.name}' error: secrets "${reference.name}" not found`,
    )
  }
  const cluster = clusters.fromKubeconfig(kubeconfigOf(secret, reference.key), impersonate)
  return { cluster, onClusterChange: onChange(secret) }
}

/** The ServiceAccount that a Kustomization acts as; on a remote cluster, the one of the same name. */
export const accountOf = (
  kustomization: Kustomization,
  { defaultServiceAccount }: KustomizationSettings,
): ObjectRef | undefined => actingAccount(kustomization, { defaultServiceAccount })

/** The same for a pass, which halts when there is no way to the cluster. */
export const connect = async (
  kustomization: Kustomization,
  ports: TargetPorts & { readonly settings: KustomizationSettings },
  { signal, dryRun }: Pick<Pass<Kustomization>, 'signal' | 'dryRun'>,
): Promise<Target> => {
  try {
    const target = await targetCluster(ports, kustomization, ports.settings)
    return dryRun ? { ...target, cluster: dryRun.cluster(target.cluster) } : target
  } catch (error) {
    signal.throwIfAborted()
    const [reason, message] = ['ReconciliationFailed', errorMessage(error)] as const
    const event = { severity: 'error', reason, message: `failed to build kube client: ${message}` } as const
    throw failure(reason, message, { event, cause: error })
  }
}
