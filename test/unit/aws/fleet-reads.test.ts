/** What a report on the fleet reads of the table: everything once, and then only what has changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetSummary } from '../../../lib/foundations/fleet/fleet-summary.ts'
import { trimmed } from '../../../lib/foundations/fleet/trimmed.ts'
import { builtInKinds, kindRegistry } from '../../../lib/foundations/kinds/all.ts'
import { fleetIndex } from '../../../lib/hub/apiserver/fleet/fleet-index.ts'
import { fleetReports } from '../../../lib/hub/apiserver/fleet/fleet-reports.ts'
import { createHub } from '../../../lib/hub/store/create-hub.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { fillFleet } from '../../bench/fleet/objects.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const kinds = kindRegistry(builtInKinds)
const keys = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }
const viewer = { user: { name: 'admin', groups: [] }, authorize: async () => ({ allowed: true }) as const }
const fleetKinds = 12

test('a report reads the fleet once, and then one counter for each kind, whatever the size of the fleet', async () => {
  const clock = manualClock()
  const { client } = simulatedDynamo()
  let requests = 0
  const counting = {
    send: (command: never) => {
      requests++
      return client.send(command)
    },
  } as unknown as typeof client
  const store = simulatedStore({ client: counting }, clock)
  const hub = createHub({ ...store, keys, clock, random: systemRandom, kinds: () => kinds })
  await hub.prepare()
  await fillFleet(hub, 400, 20)
  await hub.settled()
  const reports = fleetReports(fleetIndex(hub, trimmed), clock)
  const report = async (): Promise<readonly [units: number, requests: number]> => {
    requests = 0
    const { units } = (await reports(new URL('http://hub/fleet/summary'), viewer)) as FleetSummary
    return [units.total, requests]
  }
  const [total, first] = await report()
  assert.equal(total, 400)
  assert.ok(first > 3 * fleetKinds, `${first} requests`)
  assert.deepEqual(await report(), [400, fleetKinds])
  await hub.delete({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'u1' }, {})
  await hub.settled()
  const [left, more] = await report()
  assert.equal(left, 399)
  assert.ok(more > fleetKinds && more < 2 * fleetKinds, `${more} requests`)
  assert.deepEqual(await report(), [399, fleetKinds])
})
