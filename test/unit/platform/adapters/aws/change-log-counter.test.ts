import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionsOf } from '../../../../../lib/platform/adapters/aws/versions.ts'
import { simulatedDynamo } from '../../../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../../../bed/aws/simulated-store.ts'
import { manualClock } from '../../../../contracts/manual-clock.ts'
import { widget, widgets } from '../../../../contracts/store-world.ts'

const keepMs = 15 * 60_000

test('a commit costs its counter one unit, however many there are a second', async () => {
  for (const perSecond of [3, 33]) {
    const clock = manualClock()
    const dynamo = simulatedDynamo()
    const versions = versionsOf(simulatedStore(dynamo, clock).table, clock, keepMs)
    let counter = await versions.read('Widget')
    const began = clock.now()
    let horizon = 0
    for (let n = 1; n <= perSecond * 20 * 60; n++) {
      dynamo.takeUnits()
      counter = await versions.take('Widget')
      assert.equal(dynamo.takeUnits().write, 1)
      if (n % 64 === 0) await versions.settle('Widget', counter, counter.last)
      if (n % perSecond === 0) await clock.advance(1000)
      horizon = Math.max(horizon, versions.forgotten(counter))
    }
    assert.ok(counter.marks.length <= 16, `${counter.marks.length} marks`)
    // What is older than the time that changes are kept is forgotten, a fourteenth of it later at the latest (and a settling).
    const minutes = (clock.now() - began - keepMs * (1 + 1 / 14)) / 60_000
    assert.ok(horizon >= (minutes - 1) * 60 * perSecond, `${horizon} of ${counter.last} are forgotten`)
    assert.ok(horizon <= ((clock.now() - began - keepMs) / 1000) * perSecond + 1)
  }
})

test('writers of one process share requests to the counter, and each gets a version of its own', async () => {
  const clock = manualClock()
  const dynamo = simulatedDynamo({ latency: () => new Promise(setImmediate) })
  const { objects } = simulatedStore(dynamo, clock)
  let requests = 0
  dynamo.onUnits = ({ partition, write }) => {
    if (partition.startsWith('versions#') && write > 0) requests += 1
  }
  const stored = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      objects.commit({ op: 'create', ref: widget(`w${at}`), body: '{}', refersTo: [] }),
    ),
  )
  assert.equal(new Set(stored.map(({ version }) => version)).size, 30)
  assert.ok(requests <= 3, `${requests} requests`)
  const alone = requests
  await objects.commit({ op: 'create', ref: widget('alone'), body: '{}', refersTo: [] })
  assert.equal(requests, alone + 1)
  const { items, version } = await objects.list(widgets)
  assert.deepEqual([items.length, version], [31, '31'])
})

test('a request to the counter that fails, fails for all who share it, and for no others', async () => {
  const { table } = simulatedStore(simulatedDynamo(), manualClock())
  let isDown = true
  const failing = {
    ...table,
    update: async (update: Parameters<typeof table.update>[0]) => {
      if (isDown) throw new Error('refused')
      return table.update(update)
    },
  }
  const versions = versionsOf(failing, manualClock(), 1000)
  const first = await Promise.allSettled([versions.take('a'), versions.take('a')])
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  isDown = false
  assert.equal((await versions.take('a')).last, 1)
})
