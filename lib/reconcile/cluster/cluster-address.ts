import { type Cluster, cluster } from '../../foundations/kinds/cluster.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { namedTarget } from '../../foundations/kinds/target-reference.ts'
import { restrainingAnnotationsOf } from '../../foundations/kinds/window.ts'
import { isBreakerOpen } from '../../foundations/rules/cluster-breaker.ts'
import { clusterGroupOf } from '../runtime/cluster-group.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/**
 * Routes messages for Clusters, in the stage and the group of the Kustomizations that use the same access: a probe that finds nothing new is a
 * part of their visit, on its connection and in its record.
 */
export const clusterAddress: AddressOf<Cluster> = {
  kind: cluster,
  stage: 'apply',
  groupOf: ({ metadata, spec, status }) => clusterGroupOf({ metadata, spec: { ...status, ...spec } }),
  isVisited: true,
  reactsTo: ['Secret', 'ConfigMap'],
  followsSecrets: true,
  /** Input providers export its labels and its access. What a probe found is none of theirs. */
  isNews: (before, after) =>
    before?.metadata.generation !== after?.metadata.generation ||
    !isSameJson(before?.status?.kubeConfig ?? {}, after?.status?.kubeConfig ?? {}) ||
    !isSameJson(before?.metadata.labels ?? {}, after?.metadata.labels ?? {}),
  /** Units also go on when the breaker closes; when it opens there is nothing to do. */
  affects: (before, after) =>
    isSameJson(restraintIn(before), restraintIn(after)) && !isClosed(before, after)
      ? []
      : [before, after].flatMap(accessIn),
}

/** What restrains the units of a Cluster, and whom they act as. */
const restraintIn = (object: Cluster | undefined) => {
  const { suspend = false, windows = [], protect = [], serviceAccountName = '' } = object?.spec ?? {}
  return [suspend, windows, protect, serviceAccountName, object ? restrainingAnnotationsOf(object) : []]
}

const isClosed = (before: Cluster | undefined, after: Cluster | undefined): boolean =>
  before !== undefined && after !== undefined && isBreakerOpen(before) && !isBreakerOpen(after)

/** The Secret or ConfigMap that units of a Cluster refer to, too. */
const accessIn = (object: Cluster | undefined): readonly ObjectRef[] => {
  const access = object && namedTarget(object)
  return access ? [{ group: '', ...access }] : []
}
