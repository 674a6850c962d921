import type { ClusterClient } from '../../cluster/client.ts'
import type { Clusters } from '../../cluster/clusters.ts'
import type { Impersonation } from '../../cluster/kubeconfig.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ObjectStore } from '../../ports/objects.ts'
import type { OffThread } from '../../ports/off-thread.ts'
import type { Random } from '../../ports/random.ts'
import type { References } from '../../references/references.ts'
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
