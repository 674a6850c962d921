import { type Cluster, cluster } from '../../foundations/kinds/cluster.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { clusterGroupOf } from '../runtime/cluster-group.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/**
 * Routes messages for Clusters, in the group of the units that use the same access. On AWS the function of HelmReleases probes them: the bundle
 * of the one for Kustomizations has reached its size limit.
 */
export const clusterAddress: AddressOf<Cluster> = {
  kind: cluster,
  stage: 'helmrelease',
  groupOf: clusterGroupOf,
  reactsTo: ['Secret', 'ConfigMap'],
  followsSecrets: true,
  /** Input providers export its labels and its access. What a probe found is none of theirs. */
  isNews: (before, after) =>
    before?.metadata.generation !== after?.metadata.generation ||
    !isSameJson(before?.metadata.labels ?? {}, after?.metadata.labels ?? {}),
}
