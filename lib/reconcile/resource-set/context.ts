import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import type { References } from '../../hub/references/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import type { ResourceSetSettings } from './settings.ts'

export interface ResourceSetPorts {
  readonly references: References
  readonly clusters: Pick<Clusters, 'fromKubeconfig'>
  /** The hub as a cluster; as its own identity unless another is named. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly clock: Clock
  readonly random: Random
  /** Where templates go that are too much for this thread. */
  readonly offThread?: OffThread | undefined
}

/** What all passes over ResourceSets share. */
export interface Context extends ResourceSetPorts {
  readonly settings: ResourceSetSettings
  readonly units: UnitMemory
}
