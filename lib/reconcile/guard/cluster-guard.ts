import { isDeepStrictEqual } from 'node:util'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { clusterName, isAdopted, isSameCluster, type OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Failed } from '../runtime/reconciler.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'

/** On a unit: the cluster that its objects are applied to from now on, by its name in the condition `ClusterChanged`. */
export const adoptClusterAnnotation = 'keelson.dev/adopt-cluster'

/** Condition type and reason of a unit whose cluster is not the one of its inventory. */
export const clusterChanged = 'ClusterChanged'

export interface BindingRequest {
  readonly unit: KubernetesObject
  readonly cluster: ClusterClient
  readonly hasInventory: boolean
  readonly onClusterChange: OnClusterChange
  /** Ask the cluster even if it was asked a moment ago: something is about to be deleted. */
  readonly isDeleting: boolean
}

export type Binding =
  | { readonly type: 'same' }
  /** To be bound once the new inventory is stored: until then a crash finds the old one, and the approval again. */
  | { readonly type: 'adopted'; bind(): Promise<void> }
  | { readonly type: 'changed'; readonly message: string }

/**
 * Compares the cluster with the one that the unit's inventory is about, and binds the inventory to it. `changed` says, with a message for
 * people, that nothing may be applied, pruned or deleted; `adopted`, that the old inventory tells nothing about this cluster.
 */
export const bindCluster = async (
  { unit, cluster, hasInventory, onClusterChange, isDeleting }: BindingRequest,
  memory: UnitMemory,
): Promise<Binding> => {
  if (onClusterChange === 'ignore') return { type: 'same' }
  const [facts, now] = await Promise.all([memory.read(unit), cluster.identity(isDeleting)])
  const before = facts.cluster
  const bind = async () => {
    if (!isDeepStrictEqual(before, now)) await memory.write(unit, { ...facts, cluster: now })
  }
  if (!before || !hasInventory || isSameCluster(before, now)) {
    await bind()
    return { type: 'same' }
  }
  const approval = unit.metadata.annotations?.[adoptClusterAnnotation]
  if (onClusterChange === 'adopt' || isAdopted(approval, now)) {
    // What waited for approval was about the old cluster, too.
    return { type: 'adopted', bind: () => memory.write(unit, { cluster: now }) }
  }
  const { kind, metadata } = unit
  return {
    type: 'changed',
    message:
      `the objects were applied to cluster ${clusterName(before)}, and ${cluster.server} is cluster ${clusterName(now)} now: ` +
      `nothing is applied or deleted there; to apply to the new cluster and forget the old inventory, run: ` +
      `keelson adopt-cluster ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace} --cluster ${clusterName(now)}`,
  }
}

/** How a pass ends that has found another cluster. People are told once of each. */
export const clusterChangedOutcome = <T extends KubernetesObject>(unit: T, message: string): Failed<T> => {
  const { conditions } = (unit.status ?? {}) as { readonly conditions?: readonly Condition[] }
  return {
    type: 'failed',
    reason: clusterChanged,
    message,
    conditions: { [clusterChanged]: { status: 'True', reason: clusterChanged, message } },
    ...(conditionOf(conditions, clusterChanged)?.message === message && { event: null }),
  }
}

/** The unit as it starts on a cluster on which it has applied nothing. */
export const withoutInventory = <T extends KubernetesObject>(unit: T): T => ({
  ...unit,
  status: { ...(unit.status as object | undefined), inventory: { entries: [] } },
})
