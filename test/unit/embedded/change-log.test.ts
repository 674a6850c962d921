import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { StoreError } from '../../../lib/platform/ports/objects.ts'
import { manualClock } from '../../contracts/manual-clock.ts'
import { take, widget, widgets } from '../../contracts/store-world.ts'
import { inDirectory } from './world.ts'

test('forgets what is over the limit, and shows the rest whole from its first change on', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const platform = await embeddedPlatform(path, {
      clock,
      keepChanges: { changes: 5, ageMs: 3_600_000, bytes: 1_000_000 },
    })
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
    const platform = await embeddedPlatform(path, {
      clock,
      keepChanges: { changes: 3, ageMs: 3_600_000, bytes: 1_000_000 },
    })
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

test('keeps no more bytes of changes than the limit allows, and gives their space back', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const limit = { changes: 1_000_000, ageMs: 3_600_000, bytes: 4_000_000 }
    const platform = await embeddedPlatform(path, { clock, keepChanges: limit })
    const { objects } = platform
    const body = 'x'.repeat(100_000)
    let stored = await objects.commit({ op: 'create', ref: widget('a'), body, refersTo: [] })
    const first = stored.version
    const change = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++)
        stored = await objects.commit({ op: 'update', ref: widget('a'), expect: stored.version, body, refersTo: [] })
    }
    const size = () => statSync(join(path, 'hub.db')).size + statSync(join(path, 'hub.db-wal')).size
    await change(200)
    const settled = size()
    await change(1_000)
    assert.ok(size() <= settled + 8_000_000, `${settled} bytes, then ${size()}: 100 MB were written in between`)
    const stop = new AbortController()
    const old = objects.watch({ ...widgets, after: first, signal: stop.signal })[Symbol.asyncIterator]()
    await assert.rejects(old.next(), (error: StoreError) => error.code === 'expired')
    stop.abort()
    await platform.close()
  }))

test('a database that has become much emptier gives its space back to the disk', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const platform = await embeddedPlatform(path, { clock, keepChanges: { changes: 10, ageMs: 1_000, bytes: 100_000 } })
    const { objects } = platform
    const body = 'x'.repeat(100_000)
    const versions: string[] = []
    for (let i = 0; i < 300; i++)
      versions.push((await objects.commit({ op: 'create', ref: widget(`w-${i}`), body, refersTo: [] })).version)
    for (const [i, expect] of versions.entries()) {
      await objects.commit({ op: 'delete', ref: widget(`w-${i}`), expect, body: '' })
      if (i % 100 === 99) await clock.advance(61_000)
    }
    await clock.advance(61_000)
    await objects.commit({ op: 'create', ref: widget('last'), body: '', refersTo: [] })
    await platform.compact()
    await platform.close()
    assert.ok(statSync(join(path, 'hub.db')).size < 12_000_000, `${statSync(join(path, 'hub.db')).size} bytes of 30 MB`)
  }))

test('counts what expires by its bytes, too, when it is cleared away', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const limit = { changes: 1_000_000, ageMs: 86_400_000, bytes: 200_000 }
    const { objects, close } = await embeddedPlatform(path, { clock, keepChanges: limit })
    const expires = clock.now() + 1_000
    for (let i = 0; i < 2_000; i++)
      await objects.commit({ op: 'create', ref: widget(`e${i}`), body: 'x'.repeat(1_000), refersTo: [], expires })
    let kept = await objects.commit({ op: 'create', ref: widget('kept'), body: '', refersTo: [] })
    for (let i = 0; i < 20; i++) {
      await clock.advance(61_000)
      kept = await objects.commit({ op: 'update', ref: widget('kept'), expect: kept.version, body: '', refersTo: [] })
    }
    await close()
    const database = new DatabaseSync(join(path, 'hub.db'), { readOnly: true })
    const { bytes } = database.prepare('SELECT sum(octet_length(body)) AS bytes FROM records').get() as {
      bytes: number
    }
    database.close()
    // What is cleared away at a time comes on top.
    assert.ok(bytes <= limit.bytes + 500_000, `${bytes} bytes of 2 MB that expired`)
  }))
