import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ObjectRef } from '../../lib/kinds/object.ts'
import type { Change, ChangeEvent, Collection, ListQuery, ObjectStore, StoredObject } from '../../lib/ports/objects.ts'
import { StoreError, type StoreErrorCode } from '../../lib/ports/objects.ts'
import { everything, type OpenStoreWorld, take, widget, widgets, within } from './store-world.ts'

const create = (ref: ObjectRef, body = '{}', more: Partial<Extract<Change, { op: 'create' }>> = {}): Change => ({
  op: 'create',
  ref,
  body,
  refersTo: [],
  ...more,
})

const update = (stored: StoredObject, body: string, more: Partial<Extract<Change, { op: 'update' }>> = {}): Change => ({
  op: 'update',
  ref: stored.ref,
  expect: stored.version,
  body,
  refersTo: stored.refersTo,
  ...more,
})

const remove = (stored: StoredObject): Change => ({
  op: 'delete',
  ref: stored.ref,
  expect: stored.version,
  body: stored.body,
})

const failsWith = (code: StoreErrorCode) => (error: unknown) => error instanceof StoreError && error.code === code

/** What every object store must do. */
export function describeObjectStore(name: string, open: OpenStoreWorld): void {
  describe(`object store: ${name}`, () => {
    test(
      'gives back what was written, whole',
      within(open, async ({ objects, clock }) => {
        const ref = widget('a')
        const more = { refersTo: ['source=x', 'secret=y'], due: clock.now() + 5, expires: clock.now() + 60_000 }
        const body = JSON.stringify({ text: 'ünïcode \u0000 🚢 "quoted"' })
        const stored = await objects.commit(create(ref, body, more))
        assert.deepEqual(stored, { ref, body, version: stored.version, ...more })
        assert.match(stored.version, /^[1-9]\d{0,18}$/)
        assert.deepEqual(await objects.get(ref), stored)
        assert.deepEqual((await objects.list(widgets)).items, [stored])
      }),
    )

    test(
      'keeps a body of a megabyte',
      within(open, async ({ objects }) => {
        const body = 'x'.repeat(1 << 20)
        await objects.commit(create(widget('large'), body))
        assert.equal((await objects.get(widget('large')))?.body, body)
      }),
    )

    test(
      'does not mix up objects whose names, namespaces or kinds are alike',
      within(open, async ({ objects }) => {
        const refs = [
          widget('a.b'),
          widget('a', 'b'),
          widget('a', ''),
          widget('a', 'default', { group: '', kind: 'Widget' }),
          widget('a', 'default', { group: 'dev', kind: 'Widget' }),
          widget('b', 'a'),
        ]
        for (const [index, ref] of refs.entries()) await objects.commit(create(ref, `${index}`))
        for (const [index, ref] of refs.entries()) assert.equal((await objects.get(ref))?.body, `${index}`)
        assert.equal(await objects.get(widget('a')), undefined)
      }),
    )

    test(
      'refuses a change whose condition does not hold, and then changes nothing',
      within(open, async ({ objects }) => {
        const ref = widget('a')
        const first = await objects.commit(create(ref, '1'))
        const second = await objects.commit(update(first, '2'))
        await assert.rejects(objects.commit(create(ref, '3')), failsWith('exists'))
        await assert.rejects(objects.commit(update(first, '3')), failsWith('conflict'))
        await assert.rejects(objects.commit(remove(first)), failsWith('conflict'))
        await assert.rejects(objects.commit(update({ ...first, ref: widget('b') }, '3')), failsWith('missing'))
        await assert.rejects(objects.commit(remove({ ...first, ref: widget('b') })), failsWith('missing'))
        assert.deepEqual((await objects.list(widgets)).items, [second])
      }),
    )

    test(
      'lets one of 30 simultaneous creations win',
      within(open, async ({ objects }) => {
        const ref = widget('contested')
        const results = await Promise.allSettled(range(30).map(i => objects.commit(create(ref, `${i}`))))
        const winners = results.filter(result => result.status === 'fulfilled')
        assert.equal(winners.length, 1)
        assert.deepEqual(await objects.get(ref), winners[0]!.value)
        for (const result of results)
          if (result.status === 'rejected') assert.ok(failsWith('exists')(result.reason), String(result.reason))
      }),
    )

    test(
      'lets one of 30 simultaneous updates win',
      within(open, async ({ objects }) => {
        const stored = await objects.commit(create(widget('contested')))
        const results = await Promise.allSettled(range(30).map(i => objects.commit(update(stored, `${i}`))))
        const winners = results.filter(result => result.status === 'fulfilled')
        assert.equal(winners.length, 1)
        assert.deepEqual(await objects.get(stored.ref), winners[0]!.value)
        for (const result of results)
          if (result.status === 'rejected') assert.ok(failsWith('conflict')(result.reason), String(result.reason))
      }),
    )

    test(
      'loses no increment of 10 writers that retry on conflict',
      within(open, async ({ objects }) => {
        const ref = widget('counter')
        await objects.commit(create(ref, '0'))
        const increment = async (): Promise<void> => {
          const stored = (await objects.get(ref))!
          try {
            await objects.commit(update(stored, `${Number(stored.body) + 1}`))
          } catch (error) {
            if (!failsWith('conflict')(error)) throw error
            await increment()
          }
        }
        await Promise.all(
          range(10).map(async () => {
            for (let i = 0; i < 5; i++) await increment()
          }),
        )
        assert.equal((await objects.get(ref))?.body, '50')
      }),
    )

    test(
      'lists by namespace, then name, in pages or at once, in all namespaces or one',
      within(open, async ({ objects }) => {
        const places = [
          ['b', 'a'],
          ['a', 'b'],
          ['a', 'a-b'],
          ['a', 'a'],
          ['a-b', 'a'],
          ['', 'z'],
        ] as const
        for (const [namespace, name] of places) await objects.commit(create(widget(name, namespace)))
        await objects.commit(create(widget('other', 'a', { group: widgets.group, kind: 'Gadget' })))
        const sorted = ['/z', 'a/a', 'a/a-b', 'a/b', 'a-b/a', 'b/a']
        const placesOf = ({ items }: { items: readonly StoredObject[] }) =>
          items.map(({ ref }) => `${ref.namespace}/${ref.name}`)
        assert.deepEqual(placesOf(await objects.list(widgets)), sorted)
        for (const limit of [1, 2, 5, 6, 7]) {
          assert.deepEqual(placesOf(await everything(objects, { ...widgets, limit })), sorted)
          assert.deepEqual(
            placesOf(await everything(objects, { ...widgets, namespace: 'a', limit })),
            sorted.slice(1, 4),
          )
        }
        assert.equal((await objects.list({ ...widgets, limit: 6 })).continue, undefined)
        assert.deepEqual((await objects.list({ ...widgets, namespace: 'none' })).items, [])
      }),
    )

    test(
      'shows the same moment in every page, whatever changes meanwhile',
      within(open, async ({ objects }) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(
            changes(),
            changes(),
            changes(),
            fc.integer({ min: 1, max: 4 }),
            async (before, meanwhile, later, limit) => {
              const collection = { group: widgets.group, kind: `Paged${run++}` }
              await perform(objects, collection, before)
              const expected = (await objects.list(collection)).items.map(essence)
              const interruptions = [meanwhile, later]
              let page = await objects.list({ ...collection, limit })
              const { version } = page
              const seen = [...page.items]
              while (page.continue) {
                await perform(objects, collection, interruptions.shift() ?? [])
                page = await objects.list({ ...collection, limit, continue: page.continue })
                assert.equal(page.version, version)
                seen.push(...page.items)
              }
              assert.deepEqual(seen.map(essence), expected)
            },
          ),
          { numRuns: 40 },
        )
      }),
    )

    test(
      'lists what has a label, or one of some, as it is labelled now',
      within(open, async ({ objects, reopen }) => {
        const labelled = (name: string, labels: readonly string[], namespace?: string) =>
          objects.commit(create(widget(name, namespace), '{}', { labels }))
        await labelled('a', ['app=x', 'tier=web'])
        await labelled('b', ['app=x', 'tier=db'], 'b')
        await labelled('c', ['app=x'])
        await labelled('d', [])
        await objects.commit(
          create(widget('other', 'default', { ...widgets, kind: 'Gadget' }), '{}', { labels: ['app=x'] }),
        )
        const changed = await labelled('e', ['app=x', 'tier=web'])
        await objects.commit(update(changed, '{}', { labels: ['app=y', 'tier=web2'] }))
        await objects.commit(remove(await labelled('f', ['app=x', 'tier=web'])))
        const check = async (store: ObjectStore) => {
          const named = async (labels: readonly (readonly string[])[], more: Partial<ListQuery> = {}) =>
            (await everything(store, { ...widgets, ...more, labels })).items.map(({ ref }) => ref.name)
          for (const more of [{}, { limit: 1 }, { limit: 2 }]) {
            assert.deepEqual(await named([['app=x']], more), ['b', 'a', 'c'])
            assert.deepEqual(await named([['tier=web', 'tier=db']], more), ['b', 'a'])
            assert.deepEqual(await named([['app=y']], more), ['e'])
            assert.deepEqual(await named([['app=none']], more), [])
            assert.deepEqual(await named([['tier=we']], more), [])
          }
          assert.deepEqual(await named([['app=x']], { namespace: 'default' }), ['a', 'c'])
          assert.ok((await named([['app=x'], ['tier=web']])).includes('a'))
        }
        await check(objects)
        await check((await reopen()).objects)
      }),
    )

    test(
      'leaves out nothing of a listing by label, whatever is labelled anew meanwhile',
      within(open, async ({ objects }) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(changes(), changes(), fc.integer({ min: 1, max: 3 }), async (before, meanwhile, limit) => {
            const collection = { group: widgets.group, kind: `Labelled${run++}` }
            await perform(objects, collection, before)
            const isWanted = ({ body }: StoredObject) => labelIn(body) === 'odd=true'
            const expected = (await objects.list(collection)).items.filter(isWanted).map(essence)
            const query = { ...collection, limit, labels: [['odd=true']] }
            let page = await objects.list(query)
            const seen = [...page.items]
            for (let first = true; page.continue; first = false) {
              if (first) await perform(objects, collection, meanwhile)
              page = await objects.list({ ...query, continue: page.continue })
              seen.push(...page.items)
            }
            assert.deepEqual(seen.filter(isWanted).map(essence), expected)
          }),
          { numRuns: 30 },
        )
      }),
    )

    test(
      'refuses a continue token that it has not given out',
      within(open, async ({ objects }) => {
        for (const token of ['nonsense', 'WzFd'])
          await assert.rejects(objects.list({ ...widgets, continue: token }), failsWith('expired'))
      }),
    )

    test(
      'fails to continue a listing that reaches back too far',
      within(open, async ({ objects, forgetChanges }) => {
        for (const name of ['a', 'b', 'c']) await objects.commit(create(widget(name)))
        const page = await objects.list({ ...widgets, limit: 1 })
        await objects.commit(remove((await objects.get(widget('b')))!))
        await forgetChanges()
        await assert.rejects(objects.list({ ...widgets, limit: 1, continue: page.continue }), failsWith('expired'))
      }),
    )

    test(
      'agrees with a simple model after any sequence of changes, also in another process',
      within(open, async world => {
        let { objects } = world
        let run = 0
        const models: [Collection, Map<string, string>][] = []
        await fc.assert(
          fc.asyncProperty(changes(), async sequence => {
            const collection = { group: widgets.group, kind: `Modelled${run++}` }
            const model = new Map<string, string>()
            await perform(objects, collection, sequence, model)
            models.push([collection, model])
          }),
          { numRuns: 20 },
        )
        const check = async () => {
          for (const [collection, model] of models) {
            const { items } = await objects.list(collection)
            assert.deepEqual(new Map(items.map(({ ref, body }) => [`${ref.namespace}/${ref.name}`, body])), model)
          }
        }
        await check()
        objects = (await world.reopen()).objects
        await check()
      }),
    )

    test(
      'shows a watch each change exactly once and in order, from any version on',
      within(open, async ({ objects }) => {
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
          { numRuns: 25 },
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
      'tells a watch what an update or a deletion replaced',
      within(open, async ({ objects }) => {
        const stop = new AbortController()
        const created = await objects.commit(create(widget('a'), '1'))
        const updated = await objects.commit(update(created, '2'))
        const deleted = await objects.commit({ ...remove(updated), body: 'last words' } as Change)
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

    test(
      'keeps current objects whole when their changes are forgotten',
      within(open, async ({ objects, forgetChanges }) => {
        const first = await objects.commit(create(widget('a'), '1', { refersTo: ['source=x'] }))
        const second = await objects.commit(update(first, '2'))
        const gone = await objects.commit(create(widget('b')))
        await objects.commit(remove(gone))
        await forgetChanges()
        assert.deepEqual((await objects.list(widgets)).items, [second])
        assert.deepEqual((await objects.referrers('source=x', {})).refs, [widget('a')])
      }),
    )

    test(
      'never gives out a version twice, also when the newest object is gone and forgotten',
      within(open, async world => {
        const stored = await world.objects.commit(create(widget('a')))
        const removed = await world.objects.commit(remove(stored))
        await world.forgetChanges()
        const { objects } = await world.reopen()
        const again = await objects.commit(create(widget('a')))
        assert.ok(BigInt(again.version) > BigInt(removed.version))
      }),
    )

    test(
      'finds the referrers of a target, in pages, as they are now',
      within(open, async ({ objects }) => {
        const stored: StoredObject[] = []
        for (const i of range(5))
          stored.push(
            await objects.commit(create(widget(`w${i}`), '{}', { refersTo: ['source=x', 'source=x', `own=${i}`] })),
          )
        await objects.commit(update(stored[1]!, '{}', { refersTo: ['source=y'] }))
        await objects.commit(remove(stored[3]!))
        const names: string[] = []
        for (let page = await objects.referrers('source=x', { limit: 2 }); ; ) {
          names.push(...page.refs.map(ref => ref.name))
          if (!page.continue) break
          page = await objects.referrers('source=x', { limit: 2, continue: page.continue })
        }
        assert.deepEqual(names.sort(), ['w0', 'w2', 'w4'])
        assert.deepEqual(await objects.referrers('source=y', {}), { refs: [widget('w1')] })
        assert.deepEqual(await objects.referrers('own=3', {}), { refs: [] })
      }),
    )

    test(
      'lets go of an expired record, and of its name',
      within(open, async ({ objects, clock }) => {
        const expires = clock.now() + 1000
        await objects.commit(create(widget('a'), 'old', { expires, refersTo: ['source=x'] }))
        await clock.advance(1000)
        assert.equal(await objects.get(widget('a')), undefined)
        assert.deepEqual((await objects.list(widgets)).items, [])
        const again = await objects.commit(create(widget('a'), 'new'))
        assert.deepEqual(await objects.get(widget('a')), again)
        await clock.advance(3_600_000)
        assert.deepEqual(await objects.get(widget('a')), again)
      }),
    )

    test(
      'writes under a lease only while it is the current one',
      within(open, async ({ objects, leases, clock }) => {
        const ref = widget('a')
        const stored = await objects.commit(create(ref, '1'))
        const old = (await leases.acquire(ref, 1000))!
        const second = await objects.commit(update(stored, '2', { fence: old }))
        await clock.advance(2000)
        const third = await objects.commit(update(second, '3', { fence: old }))
        const current = (await leases.acquire(ref, 1000))!
        await assert.rejects(objects.commit(update(third, '4', { fence: old })), failsWith('fenced'))
        await assert.rejects(objects.commit({ ...remove(third), fence: old } as Change), failsWith('fenced'))
        const fourth = await objects.commit(update(third, '4', { fence: current }))
        await leases.release(current)
        await assert.rejects(objects.commit(update(fourth, '5', { fence: current })), failsWith('fenced'))
        assert.deepEqual(await objects.get(ref), fourth)
      }),
    )
  })
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

interface Step {
  readonly namespace: string
  readonly name: string
  readonly action: 'put' | 'remove'
  readonly body: string
}

/** A sequence of changes over few objects, so that they meet. */
const changes = () =>
  fc.array(
    fc.record<Step>({
      namespace: fc.constantFrom('', 'a', 'b'),
      name: fc.constantFrom('p', 'q', 'r', 's'),
      action: fc.constantFrom('put', 'put', 'remove'),
      body: fc.string({ maxLength: 8 }),
    }),
    { maxLength: 12 },
  )

async function perform(
  objects: ObjectStore,
  collection: Collection,
  steps: readonly Step[],
  model: Map<string, string> = new Map(),
): Promise<void> {
  for (const { namespace, name, action, body } of steps) {
    const ref = widget(name, namespace, collection)
    const stored = await objects.get(ref)
    if (action === 'remove') {
      if (stored) await objects.commit(remove(stored))
      model.delete(`${namespace}/${name}`)
    } else {
      const labels = [labelIn(body)]
      await objects.commit(stored ? update(stored, body, { labels }) : create(ref, body, { labels }))
      model.set(`${namespace}/${name}`, body)
    }
  }
}

const labelIn = (body: string): string => `odd=${body.length % 2 === 1}`

const essence = ({ ref, version, body }: StoredObject) => ({ place: `${ref.namespace}/${ref.name}`, version, body })

const eventEssence = ({ type, object }: ChangeEvent) => ({ type, ...essence(object) })

const byPlace = (a: { place: string }, b: { place: string }) => (a.place < b.place ? -1 : 1)

/** Applies an event to a copy of the collection, checking that it fits what came before. */
function follow(state: Map<string, StoredObject>, { type, object, before }: ChangeEvent): void {
  const place = `${object.ref.namespace}/${object.ref.name}`
  assert.equal(state.has(place), type !== 'created', `${type} of ${place}`)
  assert.equal(before, state.get(place)?.body)
  if (type === 'deleted') state.delete(place)
  else state.set(place, object)
}
