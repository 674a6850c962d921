import type { Owner } from '../../clusters/apply/owner.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { splitClient } from '../../clusters/client/split-client.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { namedTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import { impersonationOf } from '../../hub/references/acting-account.ts'
import { allowedOnCluster, guardedHub, type RequireAllowed } from './guarded-hub.ts'
import { namespacesOf } from './hub-namespaces.ts'
import { type HubSide, hubSide } from './hub-side.ts'
import { type ClusterPorts, type ReachedCluster, reachCluster } from './reach-cluster.ts'
import { type SharedReferences, sharedReferences } from './shared-references.ts'
import type { KubeConfigReference } from './stored-access.ts'

/** The cluster of an applier, and the identities to use there. */
export interface ReachedTarget {
  readonly isHub: boolean
  /** How the cluster is reached; absent for the hub. */
  readonly reference?: TargetReference | undefined
  /** With the identity of the applier. */
  readonly cluster: ClusterClient
  /** With the identity of the kubeconfig. */
  readonly observed: ClusterClient
  /** What to do if the cluster differs from the one before. */
  readonly onClusterChange: OnClusterChange
  /** The owner of the objects there: the applier, with the namespace that it has on its cluster. */
  readonly owner: Owner
  /** For objects that stay on the hub; undefined if no target is inherited. */
  readonly hubSide?: HubSide
  /** For objects that those refer to. */
  readonly shared?: SharedReferences
}

export interface TargetOptions {
  readonly kubeConfig: KubeConfigReference | undefined
  /** The ServiceAccount of the applier, with its namespace on the hub. */
  readonly account: ObjectRef | undefined
  readonly owner: Owner
  readonly onClusterChange: OnClusterChange
}

/**
 * The cluster of an applier. With an inherited target, Flux objects are kept on the hub: in the cluster's namespaces there as the cluster's RBAC
 * allows or, if the applier itself was given the target, as its account's permissions on the hub allow.
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
  const reference = namedTarget(applier)
  const isHub = kubeConfig === undefined
  return { isHub, reference, cluster, observed, owner, onClusterChange: reached.onClusterChange }
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
    reference: inherited.reference,
    cluster: join(cluster, allowed),
    observed: join(observed, allowedOn(observed)),
    owner,
    onClusterChange,
    hubSide: hubSide({ inherited, owner, isOfHub, namespaces, allowed, hub, writer }),
    shared: sharedReferences({ inherited, isOfHub, namespaces, writer, cluster, allowed, hasReferrers }),
  }
}
