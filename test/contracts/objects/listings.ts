import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ListQuery, ObjectStore, StoredObject } from '../../../lib/platform/ports/objects.ts'
import { everything, type OpenStoreWorld, widget, widgets, within } from '../store-world.ts'
import { changes, create, essence, failsWith, labelIn, perform, range, remove, update } from './changes.ts'

/** What lists show, page by page. */
export function describeListings(name: string, open: OpenStoreWorld): void {
  describe(`object store, listings: ${name}`, () => {
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
        for (const where of [{}, { namespace: 'a' }, { namespace: 'a' }])
          assert.deepEqual((await objects.list({ ...widgets, ...where })).items, [])
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
      'shows the same point in time in every page, despite concurrent changes',
      within(open, async ({ objects, rounds }) => {
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
          { numRuns: rounds(40) },
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
      'omits nothing from a list by label, despite concurrent changes of labels',
      within(open, async ({ objects, rounds }) => {
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
          { numRuns: rounds(30) },
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
      'finds the referrers of one kind among those of all, in pages',
      within(open, async ({ objects }) => {
        const gadgets = { group: 'example.com', kind: 'Gadget' }
        const others = [{ ...gadgets, kind: 'Gadge' }, { ...gadgets, kind: 'Gadgets' }, widgets]
        const gadget = (name: string) => ({ ...gadgets, namespace: 'default', name })
        assert.deepEqual(await objects.referrers('source=x', { of: gadgets }), { refs: [] })
        for (const name of ['a', 'a-1', 'b'])
          for (const collection of [gadgets, ...others])
            await objects.commit(create({ ...gadget(name), ...collection }, '{}', { refersTo: ['source=x'] }))
        const pages: string[][] = []
        for (let next: string | undefined; pages.length < 5; ) {
          const page = await objects.referrers('source=x', { of: gadgets, limit: 1, ...(next && { continue: next }) })
          pages.push(page.refs.map(ref => `${ref.kind}/${ref.name}`))
          if (!page.continue) break
          next = page.continue
        }
        assert.deepEqual(pages, [['Gadget/a'], ['Gadget/a-1'], ['Gadget/b']])
        assert.deepEqual(await objects.referrers('source=y', { of: gadgets }), { refs: [] })
      }),
    )
  })
}
