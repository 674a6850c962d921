import type { Owner } from '../../clusters/apply/owner.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { splitClient } from '../../clusters/client/split-client.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import { impersonationOf } from '../../hub/references/acting-account.ts'
import { allowedOnCluster, guardedHub, type RequireAllowed } from './guarded-hub.ts'
import { namespacesOf } from './hub-namespaces.ts'
import { type HubSide, hubSide } from './hub-side.ts'
import { type ClusterPorts, type KubeConfigReference, type ReachedCluster, reachCluster } from './reach-cluster.ts'
import { type SharedReferences, sharedReferences } from './shared-references.ts'

/** Where an applier applies, and as whom. */
export interface ReachedTarget {
  readonly isHub: boolean
  /** As the identity that the applier acts as. */
  readonly cluster: ClusterClient
  /** The same place as the identity of the kubeconfig. */
  readonly observed: ClusterClient
  /** What to do when it is another cluster than before. */
  readonly onClusterChange: OnClusterChange
  /** Whose the objects are there: the applier, by the namespace that it has on its cluster. */
  readonly owner: Owner
  /** For what stays on the hub; undefined where nothing is inherited. */
  readonly hubSide?: HubSide
  /** For what those objects refer to. */
  readonly shared?: SharedReferences
}

export interface TargetOptions {
  readonly kubeConfig: KubeConfigReference | undefined
  /** The ServiceAccount that the applier acts as, by its namespace on the hub. */
  readonly account: ObjectRef | undefined
  readonly owner: Owner
  readonly onClusterChange: OnClusterChange
}

/**
 * The cluster of an applier. With an inherited target, objects of Flux's kinds are kept on the hub: in the cluster's namespaces there,
 * where the cluster's RBAC allows it, or, when the applier has been given its target by itself, as far as its account may on the hub.
 */
export const reachTarget = async (
  ports: ClusterPorts,
  applier: KubernetesObject,
  { kubeConfig, account, owner, onClusterChange }: TargetOptions,
): Promise<ReachedTarget> => {
  const reached = await reachCluster(ports, applier, kubeConfig, onClusterChange)
  const { inherited } = reached
  if (inherited)
    return reachInherited(ports, { ...reached, inherited }, account, { ...owner, namespace: inherited.namespace })
  const [cluster, observed] = [await reached.as(impersonationOf(account)), await reached.as()]
  return { isHub: kubeConfig === undefined, cluster, observed, owner, onClusterChange: reached.onClusterChange }
}

const reachInherited = async (
  { hubCluster, isOfHub, hasReferrers }: ClusterPorts,
  { as, inherited, onClusterChange }: ReachedCluster & Required<Pick<ReachedCluster, 'inherited'>>,
  account: ObjectRef | undefined,
  owner: Owner,
): Promise<ReachedTarget> => {
  const hub = hubCluster()
  const writer = inherited.setOn === 'Namespace' ? hub : hubCluster(impersonationOf(account))
  const namespaces = namespacesOf(hub, inherited)
  const allowedOn = (cluster: ClusterClient): RequireAllowed =>
    inherited.setOn === 'Namespace' ? allowedOnCluster(cluster, hub, inherited.prefix) : async () => {}
  const join = (cluster: ClusterClient, allowed: RequireAllowed): ClusterClient =>
    splitClient({ cluster, hub: guardedHub(writer, namespaces, allowed), isOfHub })
  const there = account && { ...account, namespace: inherited.namespace }
  const [cluster, observed] = [await as(impersonationOf(there)), await as()]
  const allowed = allowedOn(cluster)
  return {
    isHub: false,
    cluster: join(cluster, allowed),
    observed: join(observed, allowedOn(observed)),
    owner,
    onClusterChange,
    hubSide: hubSide({ inherited, owner, isOfHub, namespaces, allowed, hub, writer }),
    shared: sharedReferences({ inherited, isOfHub, namespaces, writer, cluster, allowed, hasReferrers }),
  }
}
