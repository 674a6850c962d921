import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { AccountSettings } from '../../hub/references/acting-account.ts'
import type { References } from '../../hub/references/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ForgeClient } from '../../sources/forge/forge-client.ts'
import type { OciClient } from '../../sources/oci/oci-client.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'

/** What an operator may choose. */
export interface InputProviderSettings extends AccountSettings, CrossNamespaceSettings {}

export interface InputProviderPorts {
  readonly settings: InputProviderSettings
  readonly references: References
  /** The hub as a cluster; as its own identity unless another is named. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
  readonly clock: Clock
  readonly forges: ForgeClient
  readonly oci: Pick<OciClient, 'open'>
  /** Who a provider is to clouds: the ServiceAccount that it names, or this process. */
  readonly cloudAccess: CloudAccessOf
}
