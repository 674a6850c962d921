import type { ClusterClient } from '../../clusters/client/client.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { clusterName, isAdopted, isSameCluster, type OnClusterChange } from '../../foundations/rules/cluster-binding.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { type Applier, inventoryOf } from '../applied-objects/run.ts'
import type { Failed } from '../runtime/reconciler.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'

/** Annotation of a unit: approves another cluster, by its name in the condition `ClusterChanged`. */
const adoptClusterAnnotation = 'keelson.dev/adopt-cluster'

/** Condition type and reason of a unit whose cluster is not the one of its inventory. */
export const clusterChanged = 'ClusterChanged'

/** The state from which a run starts on its cluster. */
export interface Bound<T extends Applier> {
  /** The unit with what it has applied on this cluster: nothing if the cluster has just been approved. */
  readonly applier: T
  /** For an approved cluster: call it once the new inventory is stored. Until then, a crash leaves the old one, and the approval, in place. */
  bind?(): Promise<void>
  /** The outcome of the pass if the cluster has changed: nothing may be applied, pruned or deleted. */
  readonly changed?: Failed<T>
}

/**
 * Compares the cluster with the one that the inventory belongs to, and binds the inventory to it. With `isDeleting`, the cluster's identity is read again even if it
 * is cached: something is about to be deleted.
 */
export const bindCluster = async <T extends Applier>(
  applier: T,
  { cluster, onClusterChange }: { readonly cluster: ClusterClient; readonly onClusterChange: OnClusterChange },
  isDeleting: boolean,
  memory: UnitMemory,
): Promise<Bound<T>> => {
  if (onClusterChange === 'ignore') return { applier }
  const [facts, now] = await Promise.all([memory.read(applier), cluster.identity(isDeleting)])
  const before = facts.cluster
  if (!before || inventoryOf(applier).length === 0 || isSameCluster(before, now)) {
    if (!isSameJson(before, now)) await memory.write(applier, { ...facts, cluster: now })
    return { applier }
  }
  const { kind, metadata, status } = applier
  if (onClusterChange === 'adopt' || isAdopted(metadata.annotations?.[adoptClusterAnnotation], now)) {
    // Deletions that waited for approval concerned the old cluster, too.
    const bind = async () => {
      const { approved, stored } = await memory.read(applier)
      await memory.write(applier, { cluster: now, ...(approved && { approved }), ...(stored && { stored }) })
    }
    return { applier: { ...applier, status: { ...status, inventory: { entries: [] } } }, bind }
  }
  const message =
    `the objects were applied to cluster ${clusterName(before)}, and ${cluster.server} is cluster ${clusterName(now)} now: ` +
    `nothing is applied or deleted there; to apply to the new cluster and forget the old inventory, run: ` +
    `keelson adopt-cluster ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace} --cluster ${clusterName(now)}`
  return { applier, changed: clusterChangedOutcome(applier, message) }
}

/** One event per cluster. */
const clusterChangedOutcome = <T extends Applier>({ status }: T, message: string): Failed<T> => ({
  type: 'failed',
  reason: clusterChanged,
  message,
  conditions: { [clusterChanged]: { status: 'True', reason: clusterChanged, message } },
  ...(conditionOf(status?.conditions, clusterChanged)?.message === message && { event: null }),
})
