import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breaker } from '../../../../lib/clusters/client/breaker.ts'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'

const dead = new ClusterError('unreachable', 'connection refused')
const refused = new ClusterError('forbidden', 'no')

/** A breaker over a cluster that is dead or alive, with the calls that went through counted. */
const bed = () => {
  const world = { now: 0, isAlive: false, calls: 0 }
  const { call: guarded, hasResponded } = breaker({ monotonic: () => world.now })
  const call = async () =>
    guarded(async () => {
      world.calls++
      if (!world.isAlive) throw dead
      return 'ok'
    }).catch((error: Error) => error.message)
  return { world, guarded, hasResponded, call }
}

test('contacts a dead cluster three times, then once after 5 s, 10 s, ... a minute', async () => {
  const { world, call } = bed()
  const askedAt: number[] = []
  for (; world.now < 240_000; world.now += 1_000) {
    const before = world.calls
    assert.equal(await call(), 'connection refused')
    if (world.calls > before) askedAt.push(world.now / 1_000)
  }
  assert.deepEqual(askedAt, [0, 1, 2, 7, 17, 37, 77, 137, 197])
})

test('closes after the first response, including refusals', async () => {
  const { world, guarded, call } = bed()
  for (let i = 0; i < 4; i++) await call()
  world.now += 5_000
  await assert.rejects(
    guarded(() => Promise.reject(refused)),
    refused,
  )
  world.isAlive = true
  assert.deepEqual([await call(), await call()], ['ok', 'ok'])
})

test('lets one call try, while the others fail at once', async () => {
  const { world, guarded } = bed()
  const fail = () => guarded(() => Promise.reject(dead)).catch(error => error)
  await Promise.all([fail(), fail(), fail()])
  world.now += 5_000
  const answer = Promise.withResolvers<string>()
  const trial = guarded(() => answer.promise)
  assert.equal(await guarded(async () => 'not asked').catch((error: Error) => error.message), 'connection refused')
  answer.resolve('back')
  assert.equal(await trial, 'back')
})

test('does not count what the caller broke off', async () => {
  const { guarded } = bed()
  const gone = new DOMException('gone', 'AbortError')
  for (let i = 0; i < 5; i++)
    await assert.rejects(
      guarded(() => Promise.reject(gone)),
      gone,
    )
  assert.equal(await guarded(async () => 'ok'), 'ok')
})

test('reports a dead cluster without the request of an earlier caller', async () => {
  const { call: guarded } = breaker({ monotonic: () => 0 })
  const outage = { server: 'https://prod:6443', problem: 'dial tcp 10.0.0.1:6443: connect: connection refused' }
  const ask = (path: string) =>
    guarded(async () => {
      throw new ClusterError('unreachable', `Get "https://prod:6443${path}": ${outage.problem}`, { outage })
    }).catch((error: ClusterError) => error)
  for (const path of ['/a', '/b', '/c']) assert.match((await ask(path))!.message, new RegExp(path))
  const { message, code, outage: told } = (await ask('/d')) as ClusterError
  assert.equal(message, `cluster https://prod:6443 is unreachable: ${outage.problem}`)
  assert.deepEqual([code, told], ['unreachable', outage])
})

test('closes when another process knows of a later response, not of an earlier one', async () => {
  const { world, hasResponded, call } = bed()
  for (world.now = 10_000; world.now < 13_000; world.now += 1_000) await call()
  world.isAlive = true
  assert.equal(await call(), 'connection refused')
  hasResponded(2_000)
  assert.equal(await call(), 'connection refused', 'it has failed after that response')
  hasResponded(500)
  assert.equal(await call(), 'ok')
})
