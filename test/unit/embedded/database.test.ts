import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { manualClock } from '../../contracts/manual-clock.ts'
import { widget, widgets } from '../../contracts/store-world.ts'
import { inDirectory } from './world.ts'

/** What version 1 of the layout did not have. */
const withoutLabels =
  'DROP TABLE audit; DROP TABLE usage; DROP TABLE processed_requests; DROP TABLE deliveries; DROP TABLE runs; DROP TABLE labels; ALTER TABLE heads DROP COLUMN labels; PRAGMA user_version = 1'

test('finds by label what was stored before labels were checked, and leaves sealed objects alone', () =>
  inDirectory(async path => {
    const clock = manualClock()
    const before = await embeddedPlatform(path, { clock })
    const body = JSON.stringify({ metadata: { labels: { app: 'x', "it's": 'y"z' } } })
    for (const [name, text] of [
      ['labelled', body],
      ['plain', '{"metadata":{"name":"plain"}}'],
      ['sealed', 'sealed:app=x'],
    ] as const)
      await before.objects.commit({ op: 'create', ref: widget(name), body: text, refersTo: [] })
    await before.close()
    const database = new DatabaseSync(join(path, 'hub.db'))
    database.exec(withoutLabels)
    database.close()

    const after = await embeddedPlatform(path, { clock })
    const found = async (label: string) =>
      (await after.objects.list({ ...widgets, labels: [[label]] })).items.map(({ ref }) => ref.name)
    assert.deepEqual([await found('app=x'), await found('it\'s=y"z')], [['labelled'], ['labelled']])
    const [stored] = (await after.objects.list({ ...widgets, labels: [['app=x']] })).items
    await after.objects.commit({
      op: 'update',
      expect: stored!.version,
      body,
      refersTo: [],
      ref: stored!.ref,
      labels: [],
    })
    assert.deepEqual([await found('app=x'), (await after.objects.list(widgets)).items.length], [[], 3])
    await after.close()
  }))
