import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LeaseLost } from '../../lib/platform/ports/leases.ts'
import { type OpenStoreWorld, widget, within } from './store-world.ts'

const ttl = 30_000

/** What every kind of lease must do. */
export function describeLeases(name: string, open: OpenStoreWorld): void {
  describe(`leases: ${name}`, () => {
    test(
      'gives an object to one of 30 concurrent callers',
      within(open, async ({ leases }) => {
        const given = await Promise.all(Array.from({ length: 30 }, () => leases.acquire(widget('a'), ttl)))
        assert.equal(given.filter(lease => lease !== undefined).length, 1)
      }),
    )

    test(
      'keeps one holder at a time through many rounds of asking',
      within(open, async ({ leases }) => {
        let holders = 0
        let rounds = 0
        let last = 0
        const worker = async () => {
          for (let i = 0; i < 30; i++) {
            const lease = await leases.acquire(widget('a'), ttl)
            if (!lease) {
              await new Promise(setImmediate)
              continue
            }
            holders += 1
            rounds += 1
            assert.equal(holders, 1)
            assert.ok(lease.token > last, 'tokens grow')
            last = lease.token
            await new Promise(setImmediate)
            holders -= 1
            await leases.release(lease)
          }
        }
        await Promise.all(Array.from({ length: 8 }, worker))
        assert.ok(rounds >= 8)
      }),
    )

    test(
      'does not let objects wait for each other',
      within(open, async ({ leases }) => {
        const given = await Promise.all([
          leases.acquire(widget('a'), ttl),
          leases.acquire(widget('b'), ttl),
          leases.acquire(widget('a', 'other'), ttl),
          leases.acquire(widget('a', 'default', { group: '', kind: 'Widget' }), ttl),
        ])
        assert.ok(given.every(lease => lease !== undefined))
      }),
    )

    test(
      'reports an attempt of another caller to the holder at the end, once',
      within(open, async ({ leases }) => {
        const first = (await leases.acquire(widget('a'), ttl))!
        assert.equal(await leases.acquire(widget('a'), ttl), undefined)
        assert.equal(await leases.acquire(widget('a'), ttl), undefined)
        assert.deepEqual(await leases.release(first), { dirty: true })
        const second = (await leases.acquire(widget('a'), ttl))!
        assert.deepEqual(await leases.release(second), { dirty: false })
      }),
    )

    test(
      'keeps the attempt of another caller through a renewal',
      within(open, async ({ leases }) => {
        const lease = (await leases.acquire(widget('a'), ttl))!
        await leases.acquire(widget('a'), ttl)
        assert.deepEqual(await leases.release(await leases.renew(lease, ttl)), { dirty: true })
      }),
    )

    test(
      'lets an expired lease be taken over by one of 30, with a greater token',
      within(open, async ({ leases, clock }) => {
        const lost = (await leases.acquire(widget('a'), ttl))!
        assert.equal(lost.expiresAt, clock.now() + ttl)
        await clock.advance(ttl - 1)
        assert.equal(await leases.acquire(widget('a'), ttl), undefined)
        await clock.advance(1)
        const given = await Promise.all(Array.from({ length: 30 }, () => leases.acquire(widget('a'), ttl)))
        const [taken, ...others] = given.filter(lease => lease !== undefined)
        assert.deepEqual(others, [])
        assert.ok(taken!.token > lost.token)
        await assert.rejects(leases.renew(lost, ttl), LeaseLost)
        assert.deepEqual(await leases.release(lost), { dirty: false })
        assert.equal(await leases.acquire(widget('a'), ttl), undefined, 'the old holder released nothing')
      }),
    )

    test(
      'lives on when renewed in time, also when it had expired without being missed',
      within(open, async ({ leases, clock }) => {
        const lease = (await leases.acquire(widget('a'), ttl))!
        await clock.advance(ttl - 1)
        const renewed = await leases.renew(lease, ttl)
        assert.deepEqual(renewed, { ...lease, expiresAt: clock.now() + ttl })
        await clock.advance(ttl - 1)
        assert.equal(await leases.acquire(widget('a'), ttl), undefined)
        await clock.advance(1)
        assert.equal((await leases.renew(renewed, ttl)).token, lease.token)
      }),
    )

    test(
      'does not renew what was released',
      within(open, async ({ leases }) => {
        const lease = (await leases.acquire(widget('a'), ttl))!
        await leases.release(lease)
        await assert.rejects(leases.renew(lease, ttl), LeaseLost)
      }),
    )

    test(
      'frees what a dead process held by its expiry at the latest, with a greater token',
      within(open, async world => {
        const lost = (await world.leases.acquire(widget('a'), ttl))!
        const { leases, clock } = await world.reopen()
        await clock.advance(ttl)
        const taken = (await leases.acquire(widget('a'), ttl))!
        assert.ok(taken.token > lost.token)
        await assert.rejects(leases.renew(lost, ttl), LeaseLost)
      }),
    )
  })
}

/** What leases that outlive a process must do besides. */
export function describeLastingLeases(name: string, open: OpenStoreWorld): void {
  describe(`leases that outlive their process: ${name}`, () => {
    test(
      'counts the holders before that never gave it back',
      within(open, async ({ leases, clock }) => {
        const taken = async () => (await leases.acquire(widget('a'), ttl))!
        const first = await taken()
        assert.equal(first.abandoned, 0)
        await clock.advance(2 * ttl)
        assert.equal((await taken()).abandoned, 1)
        await clock.advance(2 * ttl)
        const third = await taken()
        assert.equal(third.abandoned, 2)
        assert.equal((await leases.renew(third, ttl)).abandoned, 2)
        await leases.release(first) // it is not its own any more
        await leases.release(third)
        assert.equal((await taken()).abandoned, 0)
      }),
    )

    test(
      'reads the count without the lease, and keeps it for a holder that attempted nothing',
      within(open, async ({ leases, clock }) => {
        const taken = async () => (await leases.acquire(widget('a'), ttl))!
        assert.equal(await leases.abandonedOf(widget('a')), 0)
        await taken()
        assert.equal(await leases.abandonedOf(widget('a')), 0, 'its holder is at work')
        await clock.advance(2 * ttl)
        assert.equal(await leases.abandonedOf(widget('a')), 1)
        const second = await taken()
        await leases.release(second, second.abandoned)
        assert.equal(await leases.abandonedOf(widget('a')), 1)
        const third = await taken()
        assert.equal(third.abandoned, 1)
        await leases.release(third)
        assert.equal(await leases.abandonedOf(widget('a')), 0)
      }),
    )
  })
}
