import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { processLeases } from '../../../../lib/platform/adapters/embedded/process-leases.ts'
import { LeaseLost } from '../../../../lib/platform/ports/leases.ts'
import { whileHoldingLease } from '../../../../lib/reconcile/runtime/lease-holding.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const ref: ObjectRef = { group: 'apps', kind: 'Thing', namespace: 'default', name: 'a' }
const ttlMs = 60_000

const scene = () => {
  const clock = manualClock()
  const leases = processLeases(clock, 1)
  const holding = <R>(work: (signal: AbortSignal) => Promise<R>, outer?: AbortSignal) =>
    whileHoldingLease({ leases, clock }, ref, ttlMs, outer, async (_, signal) => ({ result: await work(signal) }))
  return { clock, leases, holding }
}

test('keeps the lease for as long as the work takes, then gives it back', async () => {
  const { clock, leases, holding } = scene()
  const held = await holding(async signal => {
    await clock.advance(10 * ttlMs)
    assert.equal(signal.aborted, false)
    assert.equal(await leases.acquire(ref, ttlMs), undefined)
    return 'done'
  })
  assert.deepEqual(held, { result: 'done', dirty: true })
  assert.ok(await leases.acquire(ref, ttlMs))
})

test('does nothing while somebody else holds the lease', async () => {
  const { leases, holding } = scene()
  await leases.acquire(ref, ttlMs)
  assert.equal(await holding(async () => assert.fail('worked')), undefined)
})

test('ends the signal when the lease was taken over, and takes nothing from its new holder', async () => {
  const { clock, leases, holding } = scene()
  let taken: Awaited<ReturnType<typeof leases.acquire>>
  const held = await holding(async signal => {
    const renew = leases.renew
    leases.renew = async () => {
      leases.renew = renew
      throw new LeaseLost({ ref, token: 0, expiresAt: 0, abandoned: 0 })
    }
    await clock.advance(2 * ttlMs)
    taken = await leases.acquire(ref, ttlMs)
    return signal.reason
  })
  assert.ok(held?.result instanceof LeaseLost)
  assert.equal(held.dirty, false)
  assert.ok(taken && leases.isCurrent(taken))
})

test('gives the lease back when the work fails, with the failure of the work', async () => {
  const { leases, holding } = scene()
  await assert.rejects(
    holding(async () => {
      throw new Error('no such file')
    }),
    /no such file/,
  )
  assert.ok(await leases.acquire(ref, ttlMs))
})

test('ends the signal when the process must stop', async () => {
  const { holding } = scene()
  const stopping = new AbortController()
  const held = await holding(async signal => {
    stopping.abort(new Error('shutting down'))
    return signal.reason
  }, stopping.signal)
  assert.equal(held?.result.message, 'shutting down')
})
