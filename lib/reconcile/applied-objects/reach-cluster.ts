import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { clusterChangePolicy, type OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import type { IsOfHub } from '../../foundations/rules/hub-placement.ts'
import type { InheritedTarget } from '../../foundations/rules/target.ts'
import type { References } from '../../hub/references/references.ts'
import { accessOf, clientOf, type KubeConfigReference, readAccess, type StoredAccess } from './stored-access.ts'

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

export interface ReachedCluster {
  /** A client that acts as the kubeconfig's identity unless another is named. */
  as(impersonate?: Impersonation): ClusterClient | Promise<ClusterClient>
  /** What to do when the cluster is not the one of the inventory. */
  readonly onClusterChange: OnClusterChange
  /** The inherited target, if its spec names none. */
  readonly inherited?: InheritedTarget
}

/** The cluster that an object applies to: the one of its kubeconfig, else the one that it inherits, else the hub. */
export const reachCluster = async (
  ports: ClusterPorts,
  applier: KubernetesObject,
  kubeConfig: KubeConfigReference | undefined,
  byDefault: OnClusterChange,
): Promise<ReachedCluster> => {
  const { references, clusters } = ports
  const reached = (access: StoredAccess): ReachedCluster => ({
    as: impersonate => clientOf(clusters, access, impersonate),
    onClusterChange: clusterChangePolicy(byDefault, applier, access.object),
  })
  if (kubeConfig) return reached(await readAccess(references, applier, kubeConfig))
  const inherited = await references.target(applier)
  if (inherited) return { ...reached(accessOf(await references.ofTarget(inherited), inherited.reference)), inherited }
  return { as: ports.hubCluster, onClusterChange: clusterChangePolicy(byDefault, applier) }
}
