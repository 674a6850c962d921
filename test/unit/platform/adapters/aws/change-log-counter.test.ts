import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionsOf } from '../../../../../lib/platform/adapters/aws/versions.ts'
import { simulatedDynamo } from '../../../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../../../bed/aws/simulated-store.ts'
import { manualClock } from '../../../../contracts/manual-clock.ts'

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
