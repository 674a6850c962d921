import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../lib/platform/adapters/embedded/database.ts'
import { groupCommit } from '../../../lib/platform/adapters/embedded/group-commit.ts'
import { diskOf, inDirectory } from './world.ts'

test('gives each caller its own result and undoes what failed only', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    const { sql } = database
    const writer = groupCommit(database, { disk: diskOf(path) })
    const mark = (at: number) => sql.prepare('INSERT INTO marks VALUES (?, 0)').run(at)
    const results = await Promise.allSettled([
      writer.write(() => mark(1).changes),
      writer.write(() => {
        mark(2)
        throw new Error('changed my mind')
      }),
      writer.write(() => {
        mark(3)
        return 'three'
      }),
    ])
    assert.deepEqual(
      results.map(result => (result.status === 'fulfilled' ? result.value : result.reason.message)),
      [1, 'changed my mind', 'three'],
    )
    assert.deepEqual(
      sql
        .prepare('SELECT at FROM marks')
        .all()
        .map(({ at }) => at),
      [1, 3],
    )
    await database.close()
  }))

test('syncs once for all that came while the disk was busy', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    let syncs = 0
    const [busy, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writer = groupCommit(
      {
        ...database,
        sync: async () => {
          syncs += 1
          busy.resolve()
          await free.promise
        },
      },
      { disk: diskOf(path) },
    )
    const first = writer.write(() => 0)
    await busy.promise
    const others = Array.from({ length: 50 }, () => writer.write(() => 0))
    free.resolve()
    await Promise.all([first, ...others])
    assert.equal(syncs, 2)
    await database.close()
  }))

test('writes a request that arrives exactly when a group has ended', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    const writer = groupCommit(database, { disk: diskOf(path) })
    for (let i = 0; i < 50; i++) await writer.write(() => i)
    await database.close()
  }))

test('promises nothing any more once the disk has failed', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    let failing = true
    const writer = groupCommit(
      {
        ...database,
        sync: async () => {
          if (failing) throw new Error('EIO')
        },
      },
      { disk: diskOf(path) },
    )
    await assert.rejects(
      writer.write(() => 1),
      /could not be written to disk: EIO/,
    )
    failing = false
    await assert.rejects(
      writer.write(() => 1),
      /could not be written to disk: EIO/,
    )
    await database.close()
  }))

test('reports once that the disk has failed: the process must be restarted', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    const told: string[] = []
    const failing = { ...database, sync: async () => Promise.reject(new Error('EIO')) }
    const writer = groupCommit(failing, { disk: diskOf(path), onFatalError: error => told.push(error.message) })
    for (let i = 0; i < 2; i++) await assert.rejects(writer.write(() => i))
    assert.deepEqual(told, ["the hub's database could not be written to disk: EIO"])
    await database.close()
  }))

test('a full disk is no failure of the disk: writes fail until there is space, and are good again then', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    const { sql } = database
    const disk = diskOf(path)
    const writer = groupCommit(database, {
      disk,
      onFatalError: error => {
        throw error
      },
    })
    const { page_count: pages } = sql.prepare('PRAGMA page_count').get() as { page_count: number }
    const grow = () => sql.exec(`INSERT INTO forgotten SELECT hex(randomblob(100000)), 1`)
    sql.exec(`PRAGMA max_page_count = ${pages + 1}`)
    const [small, large] = await Promise.allSettled([writer.write(() => 'small'), writer.write(grow)])
    assert.equal((large as PromiseRejectedResult).reason.code, 'full')
    assert.match((large as PromiseRejectedResult).reason.message, new RegExp(`no space left on the disk of ${path}`))
    // Whoever shares a group with what filled the disk is told the truth about its own write.
    if (small.status === 'rejected') assert.equal(small.reason.code, 'full')
    assert.match(disk.problem()!, /no space left/)
    sql.exec('PRAGMA max_page_count = 100000')
    await writer.write(grow)
    disk.close()
    await database.close()
  }))
