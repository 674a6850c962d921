import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObjectRef } from '../../lib/foundations/kinds/object.ts'
import type { ObjectChange } from '../../lib/platform/ports/objects.ts'
import { type OpenStoreWorld, widget, widgets, within } from './store-world.ts'

/** What every due index must do. */
export function describeSchedule(name: string, open: OpenStoreWorld): void {
  const scheduled = (ref: ObjectRef, due?: number): ObjectChange => ({
    op: 'create',
    ref,
    body: '{}',
    refersTo: [],
    due,
  })

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
      'returns the due time of an object that has one',
      within(open, async ({ objects, schedule }) => {
        await objects.commit(scheduled(widget('a'), 100))
        await objects.commit(scheduled(widget('never')))
        await schedule.setDue(widget('a'), 300)
        const dueOf = (name: string) => schedule.dueOf(widget(name))
        assert.deepEqual([await dueOf('a'), await dueOf('never'), await dueOf('absent')], [300, undefined, undefined])
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
      'takes the due time of the latest change that has one, none when it says so',
      within(open, async ({ objects, schedule }) => {
        const first = await objects.commit(scheduled(widget('a'), 100))
        const again = { ref: first.ref, body: '{}', refersTo: [] }
        const second = await objects.commit({ op: 'update', expect: first.version, due: 50, ...again })
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 50 }])
        const third = await objects.commit({ op: 'update', expect: second.version, ...again })
        assert.equal(third.due, 50)
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 50 }])
        const fourth = await objects.commit({ op: 'update', expect: third.version, due: null, ...again })
        assert.equal(fourth.due, undefined)
        assert.deepEqual(await schedule.dueBy(1000, 10), [])
        await schedule.setDue(first.ref, 70)
        await objects.commit({ op: 'delete', ref: first.ref, expect: fourth.version, body: '{}' })
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
      'lets one claim what is due by a time, or never by itself, and nothing that is due later',
      within(open, async ({ objects, schedule }) => {
        await objects.commit(scheduled(widget('a'), 100))
        await objects.commit(scheduled(widget('never')))
        assert.equal(await schedule.claim(widget('a'), 500, 99), false)
        assert.equal(await schedule.claim(widget('a'), 500, 100), true)
        assert.equal(await schedule.claim(widget('a'), 900, 400), false)
        assert.equal(await schedule.claim(widget('never'), 600, 100), true)
        assert.equal(await schedule.claim(widget('gone'), 600, 100), false)
        assert.deepEqual(await schedule.dueBy(1000, 10), [
          { ref: widget('a'), due: 500 },
          { ref: widget('never'), due: 600 },
        ])
      }),
    )

    test(
      'lets one claim what is due at one time only',
      within(open, async ({ objects, schedule }) => {
        await objects.commit(scheduled(widget('a'), 100))
        await objects.commit(scheduled(widget('never')))
        assert.equal(await schedule.claim(widget('a'), 500, 400, 99), false)
        assert.equal(await schedule.claim(widget('never'), 500, 400, 100), false)
        assert.equal(await schedule.claim(widget('a'), 500, 400, 100), true)
        assert.equal(await schedule.claim(widget('a'), 900, 400, 100), false)
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 500 }])
      }),
    )

    test(
      'returns all due objects in pages, each once, despite concurrent postponements',
      within(open, async ({ objects, schedule }) => {
        const names = Array.from({ length: 25 }, (_, index) => `w${index}`)
        await Promise.all(names.map((name, index) => objects.commit(scheduled(widget(name), 100 + (index % 5)))))
        await objects.commit(scheduled(widget('later'), 300))
        const told: string[] = []
        for await (const page of schedule.pagesDueBy(200, 4)) {
          assert.ok(page.length <= 8)
          for (const { ref, due } of page) {
            told.push(ref.name)
            await schedule.setDue(ref, told.length % 2 ? 150 : 400, { dueSeen: due })
          }
        }
        assert.deepEqual([...new Set(told)].sort(), names.sort())
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
        await schedule.setDue(seen.ref, 900, { version: seen.version })
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 1 }])
        await schedule.setDue(seen.ref, 900, { version: stored.version })
        assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 900 }])
      }),
    )

    test(
      'keeps the earlier due time when somebody has moved the one that its caller knew',
      within(open, async ({ objects, schedule }) => {
        const { ref } = await objects.commit(scheduled(widget('a'), 100))
        const dueNow = async () => (await objects.get(ref))?.due
        const commit = async (due: number | null, dueSeen: number) => {
          const { version } = (await objects.get(ref))!
          return (await objects.commit({ op: 'update', ref, expect: version, body: '{}', refersTo: [], due, dueSeen }))
            .due
        }
        await schedule.setDue(ref, 500, { dueSeen: 100 })
        assert.equal(await dueNow(), 500)
        await schedule.setDue(ref, 900, { dueSeen: 100 })
        assert.equal(await dueNow(), 500, 'a later time does not put off what another asked for')
        await schedule.setDue(ref, undefined, { dueSeen: 100 })
        assert.equal(await dueNow(), 500)
        await schedule.setDue(ref, 300, { dueSeen: 100 })
        assert.equal(await dueNow(), 300, 'an earlier one is welcome')
        assert.equal(await commit(900, 500), 300)
        assert.equal(await commit(null, 500), 300)
        assert.equal(await commit(200, 500), 200)
        assert.equal(await commit(900, 200), 900)
        assert.equal(await commit(null, 900), undefined)
        await schedule.setDue(ref, 700, { dueSeen: 1 })
        assert.equal(await dueNow(), 700, 'what has none can be given one')
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
