import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ObjectChange } from '../../../lib/platform/ports/objects.ts'
import { type OpenStoreWorld, take, widget, widgets, within } from '../store-world.ts'
import {
  byPlace,
  changes,
  create,
  essence,
  eventEssence,
  failsWith,
  follow,
  perform,
  range,
  remove,
  update,
} from './changes.ts'

/** What watches tell, and when. */
export function describeWatches(name: string, open: OpenStoreWorld): void {
  describe(`object store, watches: ${name}`, () => {
    test(
      'shows a watch each change exactly once and in order, from any version on',
      within(open, async ({ objects, rounds }) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(changes(), changes(), changes(), async (first, second, third) => {
            const collection = { group: widgets.group, kind: `Watched${run++}` }
            await perform(objects, collection, first)
            const { items, version } = await objects.list(collection)
            const stop = new AbortController()
            await perform(objects, collection, second)
            const watch = objects.watch({ ...collection, after: version, signal: stop.signal })[Symbol.asyncIterator]()
            const writing = perform(objects, collection, third)
            const last = await writing.then(() => objects.commit(create(widget('zz-last', 'zz', collection), 'last')))
            const state = new Map(items.map(item => [`${item.ref.namespace}/${item.ref.name}`, item]))
            let seen = BigInt(version)
            for (;;) {
              const [event] = await take(watch, 1)
              assert.ok(BigInt(event!.object.version) > seen, 'versions grow')
              seen = BigInt(event!.object.version)
              follow(state, event!)
              if (event!.object.version === last.version) break
            }
            stop.abort()
            assert.deepEqual(await watch.next(), { done: true, value: undefined })
            const now = (await objects.list(collection)).items
            assert.deepEqual([...state.values()].map(essence).sort(byPlace), now.map(essence).sort(byPlace))
          }),
          { numRuns: rounds(25) },
        )
      }),
    )

    test(
      'a finite watch ends after what was committed before it began, in one namespace or in all',
      within(open, async ({ objects, rounds }) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(changes(), changes(), async (first, second) => {
            const collection = { group: widgets.group, kind: `Finite${run++}` }
            await perform(objects, collection, first)
            const { items, version } = await objects.list(collection)
            await perform(objects, collection, second)
            const { signal } = new AbortController()
            const state = new Map(items.map(item => [`${item.ref.namespace}/${item.ref.name}`, item]))
            let last = version
            for await (const event of objects.watch({ ...collection, after: version, signal, untilNow: true })) {
              follow(state, event)
              last = event.object.version
            }
            const now = (await objects.list(collection)).items
            assert.deepEqual([...state.values()].map(essence).sort(byPlace), now.map(essence).sort(byPlace))
            for (const namespace of [undefined, 'nowhere'])
              for await (const event of objects.watch({
                ...{ ...collection, after: last, signal, untilNow: true },
                ...(namespace !== undefined && { namespace }),
              }))
                assert.fail(`nothing has changed, and yet: ${JSON.stringify(event)}`)
          }),
          { numRuns: rounds(25) },
        )
      }),
    )

    test(
      'wakes a waiting watch at a change of its collection and namespace only',
      within(open, async ({ objects }) => {
        const stop = new AbortController()
        const { version } = await objects.list(widgets)
        const watch = objects
          .watch({ ...widgets, namespace: 'a', after: version, signal: stop.signal })
          [Symbol.asyncIterator]()
        const next = take(watch, 1)
        await objects.commit(create(widget('x', 'b')))
        await objects.commit(create(widget('x', 'a', { group: widgets.group, kind: 'Gadget' })))
        const stored = await objects.commit(create(widget('x', 'a')))
        assert.deepEqual((await next).map(eventEssence), [{ type: 'created', ...essence(stored) }])
        stop.abort()
      }),
    )

    test(
      'shows every one of many watches the changes of many writers',
      within(open, async ({ objects }) => {
        const stop = new AbortController()
        const watches = range(5).map(() =>
          take(objects.watch({ ...widgets, after: '0', signal: stop.signal })[Symbol.asyncIterator](), 40),
        )
        const written = await Promise.all(range(40).map(i => objects.commit(create(widget(`w${i}`), `${i}`))))
        const expected = written.map(essence).sort((a, b) => Number(BigInt(a.version) - BigInt(b.version)))
        for (const events of await Promise.all(watches))
          assert.deepEqual(
            events.map(({ object }) => essence(object)),
            expected,
          )
        stop.abort()
      }),
    )

    test(
      'sends a watch the state before an update or a deletion',
      within(open, async ({ objects }) => {
        const stop = new AbortController()
        const created = await objects.commit(create(widget('a'), '1'))
        const updated = await objects.commit(update(created, '2'))
        const deleted = await objects.commit({ ...remove(updated), body: 'last words' } as ObjectChange)
        const watch = objects.watch({ ...widgets, after: '0', signal: stop.signal })[Symbol.asyncIterator]()
        assert.deepEqual(
          (await take(watch, 3)).map(({ type, object, before }) => ({
            type,
            body: object.body,
            version: object.version,
            before,
          })),
          [
            { type: 'created', body: '1', version: created.version, before: undefined },
            { type: 'updated', body: '2', version: updated.version, before: '1' },
            { type: 'deleted', body: 'last words', version: deleted.version, before: '2' },
          ],
        )
        stop.abort()
      }),
    )

    test(
      'resumes a watch in another process where it ended',
      within(open, async world => {
        const stop = new AbortController()
        const stored = await world.objects.commit(create(widget('a'), '1'))
        const [event] = await take(
          world.objects.watch({ ...widgets, after: '0', signal: stop.signal })[Symbol.asyncIterator](),
          1,
        )
        const updated = await world.objects.commit(update(stored, '2'))
        const { objects } = await world.reopen()
        const removed = await objects.commit(remove(updated))
        const rest = objects
          .watch({ ...widgets, after: event!.object.version, signal: stop.signal })
          [Symbol.asyncIterator]()
        assert.deepEqual(
          (await take(rest, 2)).map(({ object }) => object.version),
          [updated.version, removed.version],
        )
        stop.abort()
      }),
    )

    test(
      'ends a watch at once when its signal aborts, waiting or not',
      within(open, async ({ objects }) => {
        const stop = new AbortController()
        const waiting = objects
          .watch({ ...widgets, after: '0', signal: stop.signal })
          [Symbol.asyncIterator]()
          .next()
        await new Promise(setImmediate)
        stop.abort()
        assert.deepEqual(await waiting, { done: true, value: undefined })
        const late = objects
          .watch({ ...widgets, after: '0', signal: stop.signal })
          [Symbol.asyncIterator]()
          .next()
        assert.deepEqual(await late, { done: true, value: undefined })
      }),
    )

    test(
      'fails a watch from a version that the log no longer reaches, or that never was',
      within(open, async ({ objects, forgetChanges }) => {
        const signal = new AbortController().signal
        const first = await objects.commit(create(widget('a'), '1'))
        await objects.commit(update(first, '2'))
        await forgetChanges()
        const { version } = await objects.list(widgets)
        for (const after of [first.version, String(BigInt(version) + 1_000_000n), 'nonsense'])
          await assert.rejects(
            objects
              .watch({ ...widgets, after, signal })
              [Symbol.asyncIterator]()
              .next(),
            failsWith('expired'),
            after,
          )
      }),
    )
  })
}
