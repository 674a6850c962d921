import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type OnClusterChange, onChangeOf } from '../../foundations/rules/cluster-binding.ts'
import { configMapKind, type References, secretKind } from '../../hub/references/references.ts'

export interface ClusterPorts {
  readonly references: References
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  /** The hub as a cluster; as its own identity unless another is named. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
}

/** Where an applier says that its cluster is, as in spec.kubeConfig. */
export interface KubeConfigReference {
  readonly secretRef?: { readonly name: string; readonly key?: string }
  readonly configMapRef?: { readonly name: string }
}

export interface ReachedCluster {
  /** A client that acts as the identity of the kubeconfig unless another is named. */
  as(impersonate?: Impersonation): ClusterClient | Promise<ClusterClient>
  /** What to do when it is another cluster than before. */
  readonly onClusterChange: OnClusterChange
}

/**
 * The cluster that an object applies to: the one of its kubeconfig, or the hub. The Secret is read anew each time, so that a rotated
 * token counts at once (KS-219). Fails with an error that names the Secret and the key, never their content.
 */
export const reachCluster = async (
  { references, clusters, hubCluster }: ClusterPorts,
  applier: KubernetesObject,
  kubeConfig: KubeConfigReference | undefined,
  byDefault: OnClusterChange,
): Promise<ReachedCluster> => {
  if (!kubeConfig) return { as: hubCluster, onClusterChange: onChangeOf(byDefault, applier) }
  const { namespace = '' } = applier.metadata
  const { secretRef, configMapRef } = kubeConfig
  if (configMapRef) {
    const { name } = configMapRef
    const configMap = await references.local(applier, configMapKind, name)
    if (!configMap) throw new Error(`failed to get configmap ${namespace}/${name}: configmaps "${name}" not found`)
    const onClusterChange = onChangeOf(byDefault, applier, configMap)
    return { as: impersonate => clusters.fromConfigMap(configMap, impersonate), onClusterChange }
  }
  if (!secretRef) throw new Error('spec.kubeConfig names neither a Secret nor a ConfigMap')
  const { name, key } = secretRef
  const secret = await references.local(applier, secretKind, name)
  if (!secret)
    throw new Error(`unable to read KubeConfig secret '${namespace}/${name}' error: secrets "${name}" not found`)
  const kubeconfig = kubeconfigOf(secret, key)
  const onClusterChange = onChangeOf(byDefault, applier, secret)
  return { as: impersonate => clusters.fromKubeconfig(kubeconfig, impersonate), onClusterChange }
}
