import type { Clusters } from '../clusters/client/clusters.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { inputProviderReconciler } from '../reconcile/resource-set-input-provider/resource-set-input-provider.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { forgeClient } from '../sources/forge/forge-client.ts'
import { ociClient } from '../sources/oci/oci-client.ts'
import { composeCloudAccess } from './cloud-access.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconciler that fetches the inputs of ResourceSets. */
export const composeInputProviders = (
  ports: Ports,
  settings: CoreSettings,
  { hub, hubCluster, tokens }: Pick<HubOfAppliers, 'hub' | 'hubCluster' | 'tokens'>,
  clusters: Clusters,
): readonly Reconciler<KubernetesObject>[] => {
  const { clock, identities, connections } = ports
  const { defaultServiceAccount, noCrossNamespaceRefs } = settings
  return [
    inputProviderReconciler({
      ...{ references: createReferences(hub), clusters, hubCluster, clock },
      forges: forgeClient(clock, connections, identities?.environment),
      oci: ociClient(clock, connections),
      settings: { defaultServiceAccount, noCrossNamespaceRefs, ownNamespace: defaultResourceSetSettings.ownNamespace },
      cloudAccess: composeCloudAccess({ ...ports, hub, tokens }, settings),
    }),
  ]
}
