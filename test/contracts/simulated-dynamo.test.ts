import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../bed/aws/simulated-store.ts'
import { describeAudit } from './audit.ts'
import { describeDeliveries } from './deliveries.ts'
import { describeLastingLeases, describeLeases } from './leases.ts'
import { manualClock } from './manual-clock.ts'
import { describeObjectStore } from './objects.ts'
import { describeRuns } from './runs.ts'
import { describeSchedule } from './schedule.ts'
import { describeSlots } from './slots.ts'
import { forgetChanges, type StoreWorld } from './store-world.ts'
import { describeUsage } from './usage.ts'
import { describeVisits } from './visits.ts'

// The adapters of the table again, over the simulated one that the benches count units with: it must behave as a table does.

async function storeWorld(dynamo = simulatedDynamo(), clock = manualClock(), blobs = new Map()): Promise<StoreWorld> {
  const { objects, schedule, leases, visits, runs, deliveries, usage, auditRecords } = simulatedStore(
    dynamo,
    clock,
    blobs,
  )
  return {
    ...{ objects, schedule, leases, visits, runs, deliveries, usage, auditRecords, clock },
    rounds: all => Math.ceil(all / 4),
    reopen: () => storeWorld(dynamo, clock, blobs),
    forgetChanges: () => forgetChanges({ objects, clock }),
    close: async () => {},
  }
}

const open = () => storeWorld()
describeObjectStore('simulated table', open)
describeSchedule('simulated table', open)
describeLeases('simulated table', open)
describeSlots('simulated table', open)
describeLastingLeases('simulated table', open)
describeVisits('simulated table', open)
describeRuns('simulated table', open)
describeDeliveries('simulated table', open)
describeUsage('simulated table', open)
describeAudit('simulated table', open)
