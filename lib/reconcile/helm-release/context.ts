import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { ReleaseStorage } from '../../clusters/helm-release/storage.ts'
import type { RenderCache } from '../../engines/helm/render-cache.ts'
import type { FunctionMap } from '../../engines/template/values/value.ts'
import type { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { References } from '../../hub/references/references.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Leases } from '../../platform/ports/leases.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import type { Chart } from '../../sources/helm/chart.ts'
import type { PlanPorts } from '../approvals/plan-book.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import type { HelmReleaseSettings } from './settings.ts'
import type { Actions } from './work.ts'

export interface HelmReleasePorts {
  readonly references: References
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  /** The hub as a cluster, for HelmReleases without a kubeConfig; with its own identity unless it impersonates another. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
  readonly artifacts: ArtifactStore
  readonly refetch: Refetch
  /** Downloads artifacts of ExternalArtifacts from the servers of others. */
  readonly download: (url: string) => Promise<Uint8Array>
  readonly clock: Clock
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  /** For the slots of clusters that limit their passes. */
  readonly leases: Leases
  /** For plans. */
  readonly hub: PlanPorts['hub']
  /** Of a runner that counts signed approvals only. */
  readonly signatures?: PlanPorts['signatures']
  /** The actions on releases. */
  readonly actions: Actions
  /** The functions of templates. On AWS their code is loaded with the first release that is rendered. */
  functions(): Promise<FunctionMap>
  readonly offThread?: OffThread | undefined
}

/** Shared by all passes over HelmReleases. */
export interface Context extends HelmReleasePorts {
  readonly settings: HelmReleaseSettings
  readonly units: UnitMemory
  /** Charts by their source and the digest of their archives. */
  readonly charts: RecentlyUsed<Chart>
  readonly renderings: RenderCache
  /** Versions of HelmCharts that dry runs have found to be what their releases want. */
  readonly unchangedCharts: RecentlyUsed<true>
  /** The storage of a release for one pass. */
  readonly storageOf: (cluster: ClusterClient, namespace: string, signal: AbortSignal) => ReleaseStorage
}
