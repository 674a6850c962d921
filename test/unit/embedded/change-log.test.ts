import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddedPlatform } from '../../../lib/adapters/embedded/embedded-platform.ts'
import type { StoreError } from '../../../lib/ports/objects.ts'
import { manualClock } from '../../contracts/manual-clock.ts'
import { take, widget, widgets } from '../../contracts/store-world.ts'
import { inDirectory } from './world.ts'

test('forgets what is over the limit, and shows the rest whole from its first change on', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const platform = await embeddedPlatform(path, { clock, keepChanges: { changes: 5, ageMs: 3_600_000 } })
    const { objects } = platform
    let stored = await objects.commit({ op: 'create', ref: widget('a'), body: '0', refersTo: [] })
    const versions = [stored.version]
    for (let i = 1; i <= 10; i++) {
      await clock.advance(61_000)
      stored = await objects.commit({
        op: 'update',
        ref: widget('a'),
        expect: stored.version,
        body: `${i}`,
        refersTo: [],
      })
      versions.push(stored.version)
    }
    const stop = new AbortController()
    const watchFrom = (after: string) =>
      objects.watch({ ...widgets, after, signal: stop.signal })[Symbol.asyncIterator]()
    const events = await take(watchFrom(versions.at(-6)!), 5)
    assert.deepEqual(
      events.map(({ object, before }) => [before, object.body]),
      [
        ['5', '6'],
        ['6', '7'],
        ['7', '8'],
        ['8', '9'],
        ['9', '10'],
      ],
    )
    await assert.rejects(watchFrom(versions.at(-7)!).next(), (error: StoreError) => error.code === 'expired')
    stop.abort()
    await platform.close()
  }))

test('lets a quiet collection be watched from long ago while a busy one is forgotten', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const platform = await embeddedPlatform(path, { clock, keepChanges: { changes: 3, ageMs: 3_600_000 } })
    const { objects } = platform
    const { version } = await objects.commit({ op: 'create', ref: widget('quiet'), body: '', refersTo: [] })
    for (let i = 0; i < 10; i++) {
      await clock.advance(61_000)
      const ref = widget(`busy${i}`, '', { group: '', kind: 'Gadget' })
      await objects.commit({ op: 'create', ref, body: '', refersTo: [] })
    }
    const stop = new AbortController()
    const next = take(objects.watch({ ...widgets, after: version, signal: stop.signal })[Symbol.asyncIterator](), 1)
    const later = await objects.commit({ op: 'create', ref: widget('later'), body: '', refersTo: [] })
    assert.equal((await next)[0]!.object.version, later.version)
    stop.abort()
    await platform.close()
  }))
