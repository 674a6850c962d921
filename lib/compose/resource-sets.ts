import type { Clusters } from '../clusters/client/clusters.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { resourceSetReconciler } from '../reconcile/resource-set/resource-set.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { inputProviderReconciler } from '../reconcile/resource-set-input-provider/resource-set-input-provider.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { forgeClient } from '../sources/forge/forge-client.ts'
import { ociClient } from '../sources/oci/oci-client.ts'
import { composeCloudAccess } from './cloud-access.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconcilers that expand ResourceSets and fetch their inputs. */
export const composeResourceSets = (
  ports: Ports,
  settings: CoreSettings,
  { hub, hubCluster, isOfHub, hasReferrers, tokens }: HubOfAppliers,
  clusters: Clusters,
): readonly Reconciler<KubernetesObject>[] => {
  const { clock, identities, connections } = ports
  const { defaultServiceAccount, noCrossNamespaceRefs, buildLimits, pruneGuard, pruneLimit, onClusterChange } = settings
  const references = createReferences(hub)
  const forges = forgeClient(clock, connections, identities?.environment)
  const oci = ociClient(clock, connections)
  return [
    resourceSetReconciler(
      { ...ports, hub, references, clusters, hubCluster, isOfHub, hasReferrers },
      {
        ...defaultResourceSetSettings,
        ...{ defaultServiceAccount, noCrossNamespaceRefs, buildLimits, pruneGuard, pruneLimit, onClusterChange },
      },
    ),
    inputProviderReconciler({
      ...{ references, clusters, hubCluster, clock, forges, oci },
      settings: { defaultServiceAccount, noCrossNamespaceRefs, ownNamespace: defaultResourceSetSettings.ownNamespace },
      cloudAccess: composeCloudAccess({ ...ports, hub, tokens }, settings),
    }),
  ]
}
