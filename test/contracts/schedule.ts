import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObjectRef } from '../../lib/kinds/object.ts'
import type { Change } from '../../lib/ports/objects.ts'
import { type OpenStoreWorld, widget, widgets, within } from './store-world.ts'

/** What every due index must do. */
export function describeSchedule(name: string, open: OpenStoreWorld): void {
  const scheduled = (ref: ObjectRef, due?: number): Change => ({ op: 'create', ref, body: '{}', refersTo: [], due })

  describe(`schedule: ${name}`, () => {
    test(
      'finds what is due, the longest overdue first, up to a limit',
      within(open, async ({ objects, schedule }) => {
        await objects.commit(scheduled(widget('c'), 300))
        await objects.commit(scheduled(widget('a'), 100))
        await objects.commit(scheduled(widget('never')))
        await objects.commit(scheduled(widget('b', 'other', { group: '', kind: 'Gadget' }), 200))
        const b = { ref: widget('b', 'other', { group: '', kind: 'Gadget' }), due: 200 }
        assert.deepEqual(await schedule.dueBy(99, 10), [])
        assert.deepEqual(await schedule.dueBy(200, 10), [{ ref: widget('a'), due: 100 }, b])
        assert.deepEqual(await schedule.dueBy(1000, 1), [{ ref: widget('a'), due: 100 }])
        assert.equal(await schedule.nextDue(), 100)
      }),
    )

    test(
      'knows no next due time when nothing is due',
      within(open, async ({ objects, schedule }) => {
        assert.equal(await schedule.nextDue(), undefined)
        await objects.commit(scheduled(widget('never')))
        assert.equal(await schedule.nextDue(), undefined)
      }),
    )

    test(
      'takes the due time of the latest change, none when it has none',
      within(open, async ({ objects, schedule }) => {
        const first = await objects.commit(scheduled(widget('a'), 100))
        const again = { ref: first.ref, body: '{}', refersTo: [] }
        const second = await objects.commit({ op: 'update', expect: first.version, due: 50, ...again })
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 50 }])
        const third = await objects.commit({ op: 'update', expect: second.version, ...again })
        assert.deepEqual(await schedule.dueBy(1000, 10), [])
        await schedule.setDue(first.ref, 70)
        await objects.commit({ op: 'delete', ref: first.ref, expect: third.version, body: '{}' })
        assert.deepEqual(await schedule.dueBy(1000, 10), [])
      }),
    )

    test(
      'moves a due time without a new version or an event',
      within(open, async ({ objects, schedule }) => {
        const stored = await objects.commit(scheduled(widget('a'), 100))
        await schedule.setDue(stored.ref, 500)
        assert.deepEqual(await objects.get(stored.ref), { ...stored, due: 500 })
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 500 }])
        await schedule.setDue(stored.ref, undefined)
        assert.deepEqual(await schedule.dueBy(1000, 10), [])
        const stop = new AbortController()
        const next = objects
          .watch({ ...widgets, after: stored.version, signal: stop.signal })
          [Symbol.asyncIterator]()
          .next()
        await new Promise(resolve => setTimeout(resolve, 20))
        stop.abort()
        assert.equal((await next).done, true)
      }),
    )

    test(
      'does not put off a change that its caller has not seen',
      within(open, async ({ objects, schedule }) => {
        const seen = await objects.commit(scheduled(widget('a'), 100))
        const stored = await objects.commit({
          op: 'update',
          ref: seen.ref,
          expect: seen.version,
          body: '2',
          refersTo: [],
          due: 1,
        })
        await schedule.setDue(seen.ref, 900, seen.version)
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 1 }])
        await schedule.setDue(seen.ref, 900, stored.version)
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 900 }])
      }),
    )

    test(
      'ignores objects that it does not know',
      within(open, async ({ objects, schedule }) => {
        await schedule.setDue(widget('unknown'), 100)
        assert.deepEqual(await schedule.dueBy(1000, 10), [])
        assert.equal(await objects.get(widget('unknown')), undefined)
      }),
    )

    test(
      'remembers due times in another process',
      within(open, async world => {
        await world.objects.commit(scheduled(widget('a'), 100))
        await world.objects.commit(scheduled(widget('b'), 200))
        await world.schedule.setDue(widget('a'), 300)
        const { schedule } = await world.reopen()
        assert.deepEqual(await schedule.dueBy(1000, 10), [
          { ref: widget('b'), due: 200 },
          { ref: widget('a'), due: 300 },
        ])
      }),
    )
  })
}
