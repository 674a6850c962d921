import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { AccountSettings } from '../../hub/references/acting-account.ts'
import type { References } from '../../hub/references/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ForgeClient } from '../../sources/forge/forge-client.ts'
import type { OciClient } from '../../sources/oci/oci-client.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'

/** Settings of operators. */
export interface InputProviderSettings extends AccountSettings, CrossNamespaceSettings {}

export interface InputProviderPorts {
  readonly settings: InputProviderSettings
  readonly references: References
  /** For inputs from clusters. */
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  /** The hub as a cluster, with its own identity unless it impersonates another. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
  readonly clock: Clock
  readonly forges: ForgeClient
  readonly oci: Pick<OciClient, 'open'>
  /** A provider's identity in clouds: that of its ServiceAccount, or of this process. */
  readonly cloudAccess: CloudAccessOf
}
