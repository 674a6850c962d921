import type { Clusters } from '../clusters/client/clusters.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import type { ResourceSetPorts } from '../reconcile/resource-set/context.ts'
import { resourceSetReconciler } from '../reconcile/resource-set/resource-set.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconciler that expands ResourceSets. */
export const composeResourceSets = (
  ports: Ports & Pick<ResourceSetPorts, 'dataOfHub'>,
  settings: CoreSettings,
  { hub, hubCluster, isOfHub, hasReferrers }: Omit<HubOfAppliers, 'tokens'>,
  clusters: Clusters,
): readonly Reconciler<KubernetesObject>[] => {
  const { defaultServiceAccount, noCrossNamespaceRefs, buildLimits, pruneGuard, pruneLimit, onClusterChange } = settings
  return [
    resourceSetReconciler(
      { ...ports, hub, references: createReferences(hub), clusters, hubCluster, isOfHub, hasReferrers },
      {
        ...defaultResourceSetSettings,
        ...{ defaultServiceAccount, noCrossNamespaceRefs, buildLimits, pruneGuard, pruneLimit, onClusterChange },
      },
    ),
  ]
}
