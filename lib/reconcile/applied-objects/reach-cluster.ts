import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { clusterChangePolicy, type OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import type { IsOfHub } from '../../foundations/rules/hub-placement.ts'
import type { InheritedTarget } from '../../foundations/rules/target.ts'
import { configMapKind, type References, secretKind } from '../../hub/references/references.ts'

export interface ClusterPorts {
  readonly references: References
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  /** The hub as a cluster; acts as the hub itself unless another identity is named. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
  /** The kinds that stay on the hub where a target is inherited. */
  readonly isOfHub: IsOfHub
  /** Whether an object of the hub refers to another. */
  readonly hasReferrers: (ref: ObjectRef) => Promise<boolean>
}

/** Where an applier's cluster is, as in spec.kubeConfig. */
export interface KubeConfigReference {
  readonly secretRef?: { readonly name: string; readonly key?: string }
  readonly configMapRef?: { readonly name: string }
}

export interface ReachedCluster {
  /** A client that acts as the kubeconfig's identity unless another is named. */
  as(impersonate?: Impersonation): ClusterClient | Promise<ClusterClient>
  /** What to do when the cluster is not the one of the inventory. */
  readonly onClusterChange: OnClusterChange
  /** How it came to this cluster, where its spec doesn't say. */
  readonly inherited?: InheritedTarget
}

/**
 * The cluster that an object applies to: the one of its kubeconfig, else the one that it inherits, else the hub. Reads the Secret each
 * time, so that a rotated token takes effect at once (KS-219). Errors name the Secret and the key, never their content.
 */
export const reachCluster = async (
  ports: ClusterPorts,
  applier: KubernetesObject,
  kubeConfig: KubeConfigReference | undefined,
  byDefault: OnClusterChange,
): Promise<ReachedCluster> => {
  const said: OnChange = kubeconfig => clusterChangePolicy(byDefault, applier, kubeconfig)
  const inherited = kubeConfig ? undefined : await ports.references.target(applier)
  if (inherited) {
    const { reference } = inherited
    const by = reference.kind === 'Secret' ? bySecret : byConfigMap
    return { ...by(ports, await ports.references.ofTarget(inherited), reference, said), inherited }
  }
  if (!kubeConfig) return { as: ports.hubCluster, onClusterChange: clusterChangePolicy(byDefault, applier) }
  const { namespace = '' } = applier.metadata
  const { secretRef, configMapRef } = kubeConfig
  const { references } = ports
  if (configMapRef) {
    const { name } = configMapRef
    return byConfigMap(ports, await references.local(applier, configMapKind, name), { namespace, name }, said)
  }
  if (!secretRef) throw new Error('spec.kubeConfig names neither a Secret nor a ConfigMap')
  const { name, key } = secretRef
  return bySecret(ports, await references.local(applier, secretKind, name), { namespace, name, key }, said)
}

interface Kubeconfig {
  readonly namespace: string
  readonly name: string
  readonly key?: string | undefined
}

/** What is to happen when the cluster is another one, as the applier and the object with its kubeconfig say. */
type OnChange = (kubeconfig: KubernetesObject) => OnClusterChange

const bySecret = (
  { clusters }: ClusterPorts,
  secret: KubernetesObject | undefined,
  { namespace, name, key }: Kubeconfig,
  onChange: OnChange,
): ReachedCluster => {
  if (!secret)
    throw new Error(`unable to read KubeConfig secret '${namespace}/${name}' error: secrets "${name}" not found`)
  const kubeconfig = kubeconfigOf(secret, key)
  return { as: impersonate => clusters.fromKubeconfig(kubeconfig, impersonate), onClusterChange: onChange(secret) }
}

const byConfigMap = (
  { clusters }: ClusterPorts,
  configMap: KubernetesObject | undefined,
  { namespace, name }: Kubeconfig,
  onChange: OnChange,
): ReachedCluster => {
  if (!configMap) throw new Error(`failed to get configmap ${namespace}/${name}: configmaps "${name}" not found`)
  return { as: impersonate => clusters.fromConfigMap(configMap, impersonate), onClusterChange: onChange(configMap) }
}
