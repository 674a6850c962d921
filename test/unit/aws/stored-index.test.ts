/** What the first report of a process reads of the table, where another process has stored the fleet before. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { FleetSummary } from '../../../lib/foundations/fleet/fleet-summary.ts'
import { trimmed, trimmedFormat } from '../../../lib/foundations/fleet/trimmed.ts'
import type { UnitRow } from '../../../lib/foundations/fleet/unit-rows.ts'
import { builtInKinds, kindRegistry } from '../../../lib/foundations/kinds/all.ts'
import type { Kind } from '../../../lib/foundations/kinds/kind.ts'
import { kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { fleetIndex } from '../../../lib/hub/apiserver/fleet/fleet-index.ts'
import { fleetReports } from '../../../lib/hub/apiserver/fleet/fleet-reports.ts'
import { storedIndex } from '../../../lib/hub/apiserver/fleet/stored-index.ts'
import type { Viewer } from '../../../lib/hub/apiserver/fleet/visible-fleet.ts'
import { createHub } from '../../../lib/hub/store/create-hub.ts'
import { changeKey } from '../../../lib/platform/adapters/aws/item-keys.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { fillFleet } from '../../bench/fleet/objects.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const kinds = kindRegistry(builtInKinds)
const keys = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }
const admin: Viewer = { user: { name: 'admin', groups: [] }, authorize: async () => ({ allowed: true }) }
const units = 1_200
const kind = kustomization as unknown as Kind
const refOf = (name: string) => ({ group: kind.group, kind: kind.kind, namespace: 'apps', name })

/** Units of a real fleet differ more, so that their index does not fit into an item. */
const trimmedWithNoise = (object: KubernetesObject): KubernetesObject => ({
  ...trimmed(object),
  noise: createHash('sha512').update(object.metadata.name).digest('base64'),
})

/** A hub with units, and processes that report on it. `queries` counts those for objects of the units' kind. */
const world = async () => {
  const clock = manualClock()
  const { client } = simulatedDynamo()
  const blobs = new Map<string, Uint8Array>()
  let queries = 0
  const counting = {
    send: (command: { readonly input: object }) => {
      if (JSON.stringify(command.input).includes('head#Kustomization.')) queries++
      return client.send(command as never)
    },
  } as unknown as typeof client
  const open = () => {
    const store = simulatedStore({ client: counting }, clock, blobs)
    return { store, hub: createHub({ ...store, keys, clock, random: systemRandom, kinds: () => kinds }) }
  }
  const { hub, store } = open()
  await hub.prepare()
  await fillFleet(hub, units, 20)
  await hub.settled()
  const complaints: string[] = []
  const log = { info: () => {}, error: (message: string) => complaints.push(message) }
  const newProcess = (format: readonly unknown[] = trimmedFormat) => {
    const its = open()
    const stored = storedIndex<KubernetesObject>({ objects: its.store.objects, log }, format)
    const index = fleetIndex(its.hub, trimmedWithNoise, { stored, clock })
    const reports = fleetReports(index, clock)
    const report = async <T>(path: string, viewer = admin): Promise<T & { queries: number }> => {
      queries = 0
      const answer = await reports(new URL(`http://hub${path}`), viewer)
      return { ...(answer as T), queries }
    }
    return {
      store: async () => (await index.store([kind])).length === 1,
      first: () => report<FleetSummary>('/fleet/summary'),
      find: async (name: string, viewer?: Viewer) =>
        (await report<{ items: readonly UnitRow[] }>(`/fleet/units?search=${name}`, viewer)).items,
    }
  }
  return { clock, hub, table: store.table, blobs, complaints, newProcess }
}

test('a new process reads a stored index and what has changed since, instead of all objects', async () => {
  const { clock, hub, newProcess } = await world()
  const whole = await newProcess().first()
  assert.equal(await newProcess().store(), true)
  await hub.delete(refOf('u1'), {})
  await hub.patch(refOf('u2'), { type: 'merge', patch: { spec: { suspend: true } } }, { fieldManager: 'test' })
  await clock.advance(5 * 60 * 60_000)
  await hub.patch(refOf('u3'), { type: 'merge', patch: { spec: { suspend: true } } }, { fieldManager: 'test' })
  await hub.settled()
  const later = newProcess()
  const summary = await later.first()
  assert.deepEqual([whole.units.total, summary.units.total, summary.units.suspended], [units, units - 1, 2])
  assert.deepEqual(summary.causes, whole.causes, 'what is stored is what reports need')
  assert.ok(whole.queries >= 8, `${whole.queries} queries`)
  assert.equal(summary.queries, 0)
  assert.deepEqual(await later.find('u1100'), await newProcess(['nothing of this']).find('u1100'))
})

test('it is stored again after 200 changes, or before the changes since are gone; not otherwise', async () => {
  const { clock, hub, newProcess } = await world()
  const writer = newProcess()
  const change = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++)
      await hub.patch(refOf(`u${i}`), { type: 'merge', patch: { spec: { suspend: true } } }, { fieldManager: 'test' })
  }
  assert.deepEqual([await writer.store(), await writer.store()], [true, false])
  await change(199)
  assert.equal(await writer.store(), false)
  await hub.delete(refOf('u1000'), {})
  assert.deepEqual([await writer.store(), await writer.store(), await newProcess().store()], [true, false, false])
  await clock.advance(12 * 60 * 60_000)
  assert.deepEqual([await writer.store(), await writer.store()], [true, false])
})

test('what a tenant may not list, a report of a process that began with a stored index does not show', async () => {
  const { newProcess } = await world()
  await newProcess().store()
  const tenant: Viewer = {
    user: { name: 'tenant', groups: [] },
    authorize: async ({ resource }) => ({ allowed: resource?.namespace === 'others' }) as never,
  }
  const process = newProcess()
  assert.ok((await process.find('u7')).length > 0)
  assert.deepEqual(await process.find('u7', tenant), [])
})

test('all objects are read if what is stored is missing, damaged, of another format, or older than the log of changes', async () => {
  const { clock, hub, table, blobs, complaints, newProcess } = await world()
  const require = async (reads: 'all objects' | 'what is stored', total: number, format?: readonly unknown[]) => {
    const found = await newProcess(format).first()
    assert.equal(found.units.total, total)
    assert.equal(found.queries > 0, reads === 'all objects', `${found.queries} queries, to read ${reads}`)
  }
  await require('all objects', units)
  await newProcess().store()
  await require('what is stored', units)
  await require('all objects', units, [...trimmedFormat, 'more'])
  assert.deepEqual(complaints, [])
  const [name, content] = [...blobs][0]!
  blobs.set(name, content.subarray(0, content.length / 2))
  await require('all objects', units)
  blobs.delete(name)
  await require('all objects', units)
  assert.equal(complaints.length, 2)
  assert.match(complaints[0]!, /failed to read the stored index/)

  await clock.advance(25 * 60 * 60_000)
  await require('all objects', units)
  assert.equal(await newProcess().store(), true, 'a damaged one makes room for another')
  await require('what is stored', units)
  await hub.delete(refOf('u1'), {})
  await hub.settled()
  await require('what is stored', units - 1)
  const { resourceVersion } = await hub.list({ group: kind.group, kind: kind.kind, limit: 1 })
  await table.remove(changeKey(`${kind.kind}.${kind.group}`, Number(resourceVersion)))
  await require('all objects', units - 1)
})
