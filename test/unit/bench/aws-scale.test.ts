import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedFleet } from '../../bench/aws-scale/fleet.ts'
import { recordPieces, wholePush } from '../../bench/aws-scale/recorded.ts'
import { virtualTime } from '../../bench/aws-scale/virtual-time.ts'

const unitsPerCluster = 20
const recordings = await recordPieces(unitsPerCluster)
const fleet = (clusters: number, more: object = {}) =>
  simulatedFleet(recordings, { clusters, unitsPerCluster, seed: 1, ...more })
const limitsOf = (told: ReturnType<ReturnType<typeof fleet>['push']>) => told.met.map(({ limit }) => limit)

test('virtual time does one thing after the other, the earliest first', () => {
  const time = virtualTime(1)
  const order: string[] = []
  function* work(name: string, ms: number) {
    yield ms
    order.push(`${name} ${time.now()}`)
  }
  time.start(work('late', 20))
  time.start(work('early', 10), () => order.push('ended'))
  time.run()
  assert.deepEqual(order, ['early 10', 'ended', 'late 20'])
})

test('a simulated push takes of the table what the code takes', async () => {
  const { clusters, read, write } = await wholePush(unitsPerCluster)
  const { usage, passes } = fleet(clusters, { ownVersions: true }).push()
  assert.equal(passes, clusters * unitsPerCluster)
  for (const [simulated, real] of [
    [usage.writeUnits, write],
    [usage.readUnits, read],
  ] as const)
    assert.ok(Math.abs(simulated - real) < 0.1 * real, `${simulated} simulated, ${real} by the code`)
})

test('the same seed gives the same run, another seed another one', () => {
  const story = (seed: number) => JSON.stringify(fleet(60, { seed }).push())
  assert.equal(story(1), story(1))
  assert.notEqual(story(1), story(2))
})

test('an hour at rest, and what comes after an outage, visit every cluster', () => {
  const rest = fleet(100).rest()
  assert.ok(rest.visits >= 550 && rest.visits <= 650, `${rest.visits}`)
  const outage = fleet(100).outage()
  assert.ok(outage.visits >= 200, `${outage.visits}`)
  assert.ok(outage.lastAt! > 0 && outage.lastAt! < 130_000, `${outage.lastAt} ms`)
})

test('a partition that takes no more is met, named, and slows a push down', () => {
  const alone = fleet(1000, { concurrency: 16, ownVersions: true }).push()
  const shared = fleet(1000, { concurrency: 16 }).push()
  assert.ok(limitsOf(alone).includes('writes of a partition: versions#Kustomization'), `${limitsOf(alone)}`)
  assert.equal(shared.passes >= 20_000, true)
  assert.ok(shared.lastAt! < alone.lastAt!, `${shared.lastAt} ms with shared requests, ${alone.lastAt} without`)
})

test('a large push is over sooner when several functions enqueue it', () => {
  const alone = fleet(1000, { concurrency: 16, oneFunctionEnqueues: true }).push()
  const several = fleet(1000, { concurrency: 16 }).push()
  assert.equal(alone.passes, several.passes)
  assert.ok(several.lastAt! < 0.9 * alone.lastAt!, `${several.lastAt} ms, ${alone.lastAt} by one function`)
})
