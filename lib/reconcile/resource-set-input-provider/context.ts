import type { AzureIdentity } from '../../cloud/azure/identity.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Impersonation } from '../../cluster/kubeconfig.ts'
import type { Hub } from '../../hub/hub.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ForgeClient } from '../../source/forge/forge-client.ts'
import type { CloudLogin } from '../../source/oci/cloud-login.ts'
import type { OciClient } from '../../source/oci/oci-client.ts'

export interface InputProviderPorts {
  readonly hub: Pick<Hub, 'get'>
  /** The hub as a cluster; as its own identity unless another is named. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
  readonly clock: Clock
  readonly forges: ForgeClient
  readonly oci: Pick<OciClient, 'visit'>
  /** Credentials for the registries of clouds; absent where there are none to be had. */
  readonly cloudLogin?: CloudLogin
  /** Who we are in Azure, for Azure DevOps without a Secret. */
  readonly azure?: AzureIdentity
}
