import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentObjects } from '../../../lib/platform/adapters/embedded/current-objects.ts'
import { openDatabase } from '../../../lib/platform/adapters/embedded/database.ts'
import { groupCommit } from '../../../lib/platform/adapters/embedded/group-commit.ts'
import { sqliteObjectStore } from '../../../lib/platform/adapters/embedded/sqlite-object-store.ts'
import { sqliteSchedule } from '../../../lib/platform/adapters/embedded/sqlite-schedule.ts'
import { systemClock } from '../../../lib/platform/adapters/embedded/system-clock.ts'
import type { ObjectChange } from '../../../lib/platform/ports/objects.ts'
import { diskOf, inDirectory } from './world.ts'

const ref = (name: string) => ({ group: 'test', kind: 'Widget', namespace: 'a', name })
const creation = (name: string, body: string, more: Partial<ObjectChange> = {}) =>
  ({ op: 'create', ref: ref(name), body, refersTo: [], ...more }) as ObjectChange

const inStore = (story: (world: Awaited<ReturnType<typeof open>>) => Promise<void>) =>
  inDirectory(async path => {
    const world = await open(path)
    await story(world)
    await world.database.close()
  })

const open = async (path: string) => {
  const database = await openDatabase(`${path}/hub.db`)
  const disk = diskOf(path)
  const writer = groupCommit(database, { disk })
  const current = currentObjects()
  const objects = sqliteObjectStore({ database, writer, clock: systemClock, current, isCurrent: () => true })
  return { database, disk, objects, current, schedule: sqliteSchedule(database, writer, current) }
}

test('what a full disk has undone is not read, nor is what shared its transaction', () =>
  inStore(async ({ database: { sql }, disk, objects }) => {
    const before = await objects.commit(creation('kept', 'before'))
    const { page_count: pages } = sql.prepare('PRAGMA page_count').get() as { page_count: number }
    sql.exec(`PRAGMA max_page_count = ${pages + 1}`)
    const update = { op: 'update', ref: ref('kept'), expect: before.version, body: 'after', refersTo: [] } as const
    const [updated, large] = await Promise.allSettled([
      objects.commit(update),
      objects.commit(creation('large', 'x'.repeat(90_000))),
    ])
    assert.equal(large.status, 'rejected')
    assert.equal((await objects.get(ref('kept')))!.body, updated.status === 'fulfilled' ? 'after' : 'before')
    assert.equal(await objects.get(ref('large')), undefined)
    disk.close()
  }))

test('a due time that the schedule has moved is read', () =>
  inStore(async ({ objects, schedule }) => {
    await objects.commit(creation('web', 'x', { due: 1000 }))
    assert.equal((await objects.get(ref('web')))!.due, 1000)
    await schedule.claim(ref('web'), 5000, 1000)
    assert.equal((await objects.get(ref('web')))!.due, 5000)
    await schedule.setDue(ref('web'), undefined)
    assert.equal((await objects.get(ref('web')))!.due, undefined)
  }))

test('what nothing referred to is found by what refers to it from then on', () =>
  inStore(async ({ objects }) => {
    assert.deepEqual(await objects.referrers('source=apps', {}), { refs: [] })
    await objects.commit(creation('web', 'x', { refersTo: ['source=apps'] }))
    assert.deepEqual((await objects.referrers('source=apps', {})).refs, [ref('web')])
  }))

test('keeps a bounded amount, what was seen longest ago least; and nothing that is large or expires', () => {
  const current = currentObjects()
  const stored = (name: string, size: number, expires?: number) => ({
    ...{ ref: ref(name), version: '1', body: 'x'.repeat(size), refersTo: [] },
    ...(expires !== undefined && { expires }),
  })
  for (let at = 0; at < 30; at++) current.put(stored(`w${at}`, 50_000))
  assert.equal(current.get(ref('w9')), undefined)
  assert.equal(current.get(ref('w10'))?.version, '1')
  current.put(stored('w10', 10))
  assert.equal(current.get(ref('w10'))?.body.length, 10)
  current.put(stored('event', 10, 1))
  current.put(stored('large', 100_001))
  assert.equal(current.get(ref('event')) ?? current.get(ref('large')), undefined)
  assert.equal(current.get(ref('w11'))?.version, '1')
})
