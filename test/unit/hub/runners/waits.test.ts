/** Where runners wait for changes, in place of polling every few seconds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldMs, waitingPace } from '../../../../lib/hub/runners/pace.ts'
import { heldWakeUps } from '../../../../lib/platform/adapters/embedded/held-wake-ups.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import { by } from '../store/world.ts'
import { runnerWorld, unitOf } from './runner-world.ts'

const aurora = 'ships/aurora'

test('a runner that waits is told where and for how long its lease is held, and nobody checks meanwhile whether it is there', async () => {
  const put: string[] = []
  const world = await runnerWorld(undefined, {
    pace: waitingPace,
    wakeUp: async ({ namespace, name }) => ({ url: `https://queue/${namespace}/${name}`, pollAfterMs: 1 }),
    putWatchOff: async ({ kind, name }) => void put.push(`${kind}/${name}`),
  })
  const { caller, sync } = await world.runner(aurora)
  assert.deepEqual([sync.leaseMs, sync.wakeUp, put], [waitingPace.leaseMs, undefined, ['Cluster/aurora']])
  const { body } = await caller.send(aurora, 'sync', { lease: sync.lease, known: sync.digest, waits: true })
  assert.deepEqual(body, {
    ...{ lease: sync.lease, leaseMs: waitingPace.leaseMs, digest: sync.digest, hub: '1.2.3' },
    wakeUp: { url: 'https://queue/ships/aurora', pollAfterMs: 1 },
  })
  const change = { type: 'merge', patch: { spec: { path: './other' } } } as const
  await world.hub.patch(unitOf('ships'), change, by('test'))
  const known = { lease: sync.lease, known: sync.digest, waits: true }
  const renewed = await caller.send(aurora, 'sync', { ...known, renews: true })
  assert.deepEqual([renewed.body.digest, renewed.body.copy], [sync.digest, undefined], 'the copy is not compared')
  assert.ok((await caller.send(aurora, 'sync', known)).body.copy)
  await world.clock.advance(waitingPace.leaseMs - 1000)
  assert.equal((await world.caller().send(aurora, 'sync', { waits: true })).status, 401, 'a stranger gets no place')
  assert.equal((await caller.send(aurora, 'sync', { lease: sync.lease })).status, 200, 'the lease is held')
})

test('a request of a runner is held until its own cluster is woken, and none is from before the copy', async () => {
  const clock = manualClock()
  const held = heldWakeUps(clock)
  const world = await runnerWorld(undefined, { heldWakeUps: held })
  const { caller, sync } = await world.runner(aurora)
  assert.equal(sync.wakeUp, undefined, 'a runner of an earlier version knows no such request')
  await held.send('ConfigMap/ships/aurora')
  const { lease } = sync
  const { wakeUp } = (await caller.send(aurora, 'sync', { lease, waits: true, holds: true })).body
  assert.deepEqual(wakeUp, { seen: 1, heldMs })
  const wait = (content: object) => caller.send(aurora, 'wait', { lease, seen: 1, forMs: 1e9, ...content })
  const waiting = wait({})
  await held.send('ConfigMap/shops/berlin')
  await clock.advance(heldMs)
  assert.deepEqual((await waiting).body, { news: false }, 'no longer than the hub holds it')
  const woken = wait({})
  await clock.advance(1)
  await held.send('ConfigMap/ships/aurora')
  assert.deepEqual((await woken).body, { news: true })
  assert.deepEqual((await wait({})).body, { news: true }, 'it came after the copy')
  assert.equal((await wait({ seen: 'all' })).status, 400)
  assert.equal((await wait({ lease: lease + 1 })).status, 410)
  assert.equal((await world.caller().send(aurora, 'wait', { lease, seen: 1, forMs: 1 })).status, 401)
})
