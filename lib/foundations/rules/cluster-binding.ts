import type { KubernetesObject } from '../kinds/object.ts'

/** Which cluster a unit's inventory is about. */
export interface BoundCluster {
  /** UID of its namespace `kube-system`, where the hub may read it. */
  readonly uid?: string
  /** Digest of its address and certificate authority. */
  readonly access: string
}

/**
 * What an operator wants when a unit's cluster is another one: to be asked, to have the new one applied and the old inventory dropped,
 * or Flux's way, which takes the old inventory for the new cluster's.
 */
export const clusterChanges = ['ask', 'adopt', 'ignore'] as const
export type OnClusterChange = (typeof clusterChanges)[number]

/** UIDs decide where both are known; else address and authority do, the best there is. */
export const isSameCluster = (before: BoundCluster, now: BoundCluster): boolean =>
  before.uid !== undefined && now.uid !== undefined ? before.uid === now.uid : before.access === now.access

/** For messages, and for the annotation that adopts: the UID, or the digest where there is none. */
export const clusterName = ({ uid, access }: BoundCluster): string => uid ?? access

/** An approval names the new cluster; it counts for that one only, so a later swap asks again. */
export const isAdopted = (approval: string | undefined, now: BoundCluster): boolean => approval === clusterName(now)

/** On a unit, or on its kubeconfig's Secret or ConfigMap: one of `clusterChanges`. Anything else counts for nothing. */
export const onClusterChangeAnnotation = 'keelson.dev/on-cluster-change'

/** The first of the objects that says what to do decides; else the hub's setting does. */
export const onChangeOf = (byDefault: OnClusterChange, ...objects: readonly KubernetesObject[]): OnClusterChange =>
  objects
    .map(({ metadata }) => metadata.annotations?.[onClusterChangeAnnotation])
    .map(said => clusterChanges.find(known => known === said))
    .find(known => known !== undefined) ?? byDefault

/** Ours: the reason of a unit whose cluster does not answer, where Flux blames the first of its objects. */
export const clusterUnreachable = 'ClusterUnreachable'
