import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../lib/adapters/embedded/database.ts'
import { groupCommit } from '../../../lib/adapters/embedded/group-commit.ts'
import { inDirectory } from './world.ts'

test('gives each caller its own result and undoes what failed only', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    const { sql } = database
    const writer = groupCommit(database)
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
    const writer = groupCommit({
      ...database,
      sync: async () => {
        syncs += 1
        await new Promise(resolve => setTimeout(resolve, 10))
      },
    })
    const first = writer.write(() => 0)
    await new Promise(resolve => setTimeout(resolve, 5))
    await Promise.all([first, ...Array.from({ length: 50 }, () => writer.write(() => 0))])
    assert.equal(syncs, 2)
    await database.close()
  }))

test('writes what is asked for in the moment that a group has ended', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    const writer = groupCommit(database)
    for (let i = 0; i < 50; i++) await writer.write(() => i)
    await database.close()
  }))

test('promises nothing any more once the disk has failed', () =>
  inDirectory(async path => {
    const database = await openDatabase(`${path}/hub.db`)
    let failing = true
    const writer = groupCommit({
      ...database,
      sync: async () => {
        if (failing) throw new Error('EIO')
      },
    })
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
