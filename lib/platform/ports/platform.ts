import type { ArtifactStore } from './artifacts.ts'
import type { AuditStore } from './audit.ts'
import type { Clock } from './clock.ts'
import type { DeliveryStore } from './deliveries.ts'
import type { Keys } from './keys.ts'
import type { Leases } from './leases.ts'
import type { ObjectStore } from './objects.ts'
import type { Queue } from './queue.ts'
import type { Random } from './random.ts'
import type { RunStore } from './runs.ts'
import type { Schedule } from './schedule.ts'
import type { UsageStore } from './usage.ts'
import type { Visits } from './visits.ts'

/** The ports that every platform implements. */
export interface PlatformPorts {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly leases: Leases
  readonly visits: Visits
  readonly artifacts: ArtifactStore
  readonly runs: RunStore
  readonly deliveries: DeliveryStore
  readonly usage: UsageStore
  readonly auditRecords: AuditStore
  readonly queue: Queue
  readonly keys: Keys
  readonly clock: Clock
  readonly random: Random
}
