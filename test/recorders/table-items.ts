import { writeFileSync } from 'node:fs'
import { tableFormat } from '../../lib/platform/adapters/aws/table-format.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../bed/aws/simulated-store.ts'
import { manualClock } from '../contracts/manual-clock.ts'
import { leaveTraces } from '../contracts/releases/story.ts'

// Records what this release leaves in its table, for the tests of those to come: to be run before the table's format is raised.

const dynamo = simulatedDynamo()
const clock = manualClock()
await leaveTraces({ ...simulatedStore(dynamo, clock), clock })
const items = JSON.stringify(
  dynamo.items(),
  (_, value) => (value?.type === 'Buffer' ? { base64: Buffer.from(value.data).toString('base64') } : asBase64(value)),
  1,
)
writeFileSync(`test/contracts/releases/format-${tableFormat}.recorded.json`, `${items}\n`)

function asBase64(value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}
