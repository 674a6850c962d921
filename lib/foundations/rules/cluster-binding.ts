import type { KubernetesObject } from '../kinds/object.ts'

/** The cluster that a unit's inventory belongs to. */
export interface BoundCluster {
  /** UID of its namespace `kube-system`, if the hub may read it. */
  readonly uid?: string
  /** Digest of its address and certificate authority. */
  readonly access: string
}

/**
 * How to handle a change of a unit's cluster: wait for approval (`ask`), adopt the new cluster and drop the old
 * inventory, or ignore it like Flux, which treats the old inventory as the new cluster's.
 */
export const clusterChanges = ['ask', 'adopt', 'ignore'] as const
export type OnClusterChange = (typeof clusterChanges)[number]

/** Compares UIDs if both are known, otherwise address and authority. */
export const isSameCluster = (before: BoundCluster, now: BoundCluster): boolean =>
  before.uid !== undefined && now.uid !== undefined ? before.uid === now.uid : before.access === now.access

/** For messages, and for the annotation that adopts a cluster: the UID, or the digest if unknown. */
export const clusterName = ({ uid, access }: BoundCluster): string => uid ?? access

/** An approval names one cluster, so that another change needs another approval. */
export const isAdopted = (approval: string | undefined, now: BoundCluster): boolean => approval === clusterName(now)

/** On a unit, or on its kubeconfig's Secret or ConfigMap: one of `clusterChanges`. Other values are ignored. */
export const onClusterChangeAnnotation = 'keelson.dev/on-cluster-change'

/** The first object with the annotation decides, otherwise the hub's setting. */
export const clusterChangePolicy = (
  byDefault: OnClusterChange,
  ...objects: readonly KubernetesObject[]
): OnClusterChange =>
  objects
    .map(({ metadata }) => metadata.annotations?.[onClusterChangeAnnotation])
    .map(said => clusterChanges.find(known => known === said))
    .find(known => known !== undefined) ?? byDefault
