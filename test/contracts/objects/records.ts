import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Collection, ObjectChange } from '../../../lib/platform/ports/objects.ts'
import { type OpenStoreWorld, widget, widgets, within } from '../store-world.ts'
import { changes, create, failsWith, perform, range, remove, update } from './changes.ts'

/** What becomes of single objects, whoever else writes them. */
export function describeRecords(name: string, open: OpenStoreWorld): void {
  describe(`object store, records: ${name}`, () => {
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
          { numRuns: world.rounds(20) },
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
        await assert.rejects(objects.commit({ ...remove(third), fence: old } as ObjectChange), failsWith('fenced'))
        const fourth = await objects.commit(update(third, '4', { fence: current }))
        await leases.release(current)
        await assert.rejects(objects.commit(update(fourth, '5', { fence: current })), failsWith('fenced'))
        assert.deepEqual(await objects.get(ref), fourth)
      }),
    )
  })
}
