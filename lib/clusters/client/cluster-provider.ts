import type { FoundAccess } from './cluster-access.ts'
import type { NamedCluster } from './kubeconfig-config-map.ts'

/** Opens access to the clusters of one provider. Fails with a KubeconfigError. */
export type ClusterProvider = (cluster: NamedCluster, signal?: AbortSignal) => Promise<FoundAccess>
