import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Leases } from '../../platform/ports/leases.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { ClusterPorts } from '../applied-objects/reach-cluster.ts'
import type { PlanPorts } from '../approvals/plan-book.ts'
import type { BuildStorePorts } from '../kept-builds/sealed-builds.ts'
import type { UnfinishedRuns } from '../runtime/unfinished-runs.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import type { OngoingWait } from './ongoing-wait.ts'
import type { ResourceSetSettings } from './settings.ts'
import type { RenderingStore } from './stored-rendering.ts'
import type { DataReader } from './target-cluster.ts'

export interface ResourceSetPorts extends ClusterPorts, BuildStorePorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly clock: Clock
  /** For plans. */
  readonly hub: PlanPorts['hub']
  /** Of a runner that counts signed approvals only. */
  readonly signatures?: PlanPorts['signatures']
  /** For the slots of clusters that limit their passes. */
  readonly leases: Leases
  readonly random: Random
  /** In a runner: what the hub lets a set copy. */
  readonly dataOfHub?: ((set: ResourceSet) => DataReader) | undefined
  /** Runs templates that are too large for this thread. */
  readonly offThread?: OffThread | undefined
}

/** What all passes over ResourceSets share. */
export interface Context extends ResourceSetPorts {
  readonly settings: ResourceSetSettings
  readonly units: UnitMemory
  /** What sets whose changes need approval have applied. */
  readonly renderings: RenderingStore
  readonly unfinished: UnfinishedRuns<OngoingWait>
}
