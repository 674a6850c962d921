import { dynamoAudit } from '../../../lib/platform/adapters/aws/dynamo-audit.ts'
import { dynamoDeliveries } from '../../../lib/platform/adapters/aws/dynamo-deliveries.ts'
import { dynamoLeases } from '../../../lib/platform/adapters/aws/dynamo-leases.ts'
import { dynamoObjectStore } from '../../../lib/platform/adapters/aws/dynamo-object-store.ts'
import { dynamoRuns } from '../../../lib/platform/adapters/aws/dynamo-runs.ts'
import { dynamoSchedule } from '../../../lib/platform/adapters/aws/dynamo-schedule.ts'
import { dynamoUsage } from '../../../lib/platform/adapters/aws/dynamo-usage.ts'
import { dynamoVisits } from '../../../lib/platform/adapters/aws/dynamo-visits.ts'
import { statesIn } from '../../../lib/platform/adapters/aws/states.ts'
import { dynamoTable } from '../../../lib/platform/adapters/aws/table.ts'
import type { ArtifactStore } from '../../../lib/platform/ports/artifacts.ts'
import type { Clock } from '../../../lib/platform/ports/clock.ts'
import type { SimulatedDynamo } from './simulated-dynamo.ts'

/** The adapters of the table over a simulated one; bodies of large objects are kept in memory, unencrypted. */
export const simulatedStore = (
  { client }: Pick<SimulatedDynamo, 'client'>,
  clock: Clock,
  blobs: Map<string, Uint8Array> = new Map(),
  keepMs = 15 * 60_000,
) => {
  const table = dynamoTable(client, 'simulated')
  const artifacts = {
    put: async (name: string, content: Uint8Array) => void blobs.set(name, new Uint8Array(content)),
    get: async (name: string) => blobs.get(name),
    has: async (name: string) => blobs.has(name),
    delete: async (name: string) => void blobs.delete(name),
  } as unknown as ArtifactStore
  const keys = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }
  const states = statesIn({ table, blobs: artifacts, deleted: async () => undefined, keys, clock })
  return {
    table,
    objects: dynamoObjectStore({ table, states, clock, keepMs }),
    schedule: dynamoSchedule(table),
    leases: dynamoLeases(table, clock),
    visits: dynamoVisits(table),
    runs: dynamoRuns(table, clock),
    deliveries: dynamoDeliveries(table, clock),
    usage: dynamoUsage(table),
    auditRecords: dynamoAudit(table, clock),
  }
}
