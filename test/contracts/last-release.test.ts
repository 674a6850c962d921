import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { stateDictionary } from '../../lib/platform/adapters/aws/state-dictionary.ts'
import { dynamoTable, number, text } from '../../lib/platform/adapters/aws/table.ts'
import { ofFormat, tableFormat } from '../../lib/platform/adapters/aws/table-format.ts'
import { visitRef } from '../../lib/platform/ports/visits.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../bed/aws/simulated-store.ts'
import { manualClock } from './manual-clock.ts'
import { body } from './releases/story.ts'
import { take, widget, widgets } from './store-world.ts'

// A deployment and a roll-back on the data of earlier releases: what `test/recorders/table-items.ts` has recorded of each format.

type RecordedItem = Parameters<ReturnType<typeof dynamoTable>['put']>[0]

const tableOf = async (format: number) => {
  const path = new URL(`releases/format-${format}.recorded.json`, import.meta.url)
  const items: RecordedItem[] = JSON.parse(readFileSync(path, 'utf8'), (_, value) =>
    typeof value?.base64 === 'string' ? Buffer.from(value.base64, 'base64') : value,
  )
  const dynamo = simulatedDynamo()
  const table = dynamoTable(dynamo.client, 'hub')
  for (const item of items) await table.put(item)
  await table.put({ pk: text('format'), sk: text('-'), format: number(format) })
  return { dynamo, table }
}

for (let format = 1; format < tableFormat; format++) {
  test(`continues with a table of format ${format}: objects, log, due times, references, leases and visits`, async () => {
    const { dynamo } = await tableOf(format)
    const clock = manualClock()
    const { objects, schedule, leases, visits } = simulatedStore(dynamo, clock)
    const { items, version } = await objects.list(widgets)
    assert.deepEqual(
      items.map(({ ref, body: held }) => [ref.name, held]),
      [
        ['changed', body('changed', 2)],
        ['kept', body('kept', 1)],
      ],
    )
    assert.deepEqual((await objects.referrers('source', {})).refs, [widget('kept')])
    assert.deepEqual(
      (await objects.list({ ...widgets, labels: [['team=a']] })).items.map(({ ref }) => ref.name),
      ['changed', 'kept'], // `changed` tells no labels: the caller looks
    )

    const stop = new AbortController()
    const watch = objects.watch({ ...widgets, after: '0', signal: stop.signal })
    const changed = items.find(({ ref }) => ref.name === 'changed')!
    await objects.commit({
      ...{ op: 'update', ref: changed.ref, expect: changed.version, body: body('changed', 3), refersTo: [] },
    })
    const events = await take(watch[Symbol.asyncIterator](), 6)
    stop.abort()
    assert.deepEqual(
      events.map(({ type, object, before }) => [type, object.ref.name, before && JSON.parse(before).spec.revision]),
      [
        ['created', 'kept', undefined],
        ['created', 'changed', undefined],
        ['created', 'gone', undefined],
        ['updated', 'changed', 1],
        ['deleted', 'gone', 1],
        ['updated', 'changed', 2],
      ],
    )
    assert.ok(Number(events.at(-1)!.object.version) > Number(version))

    const due = clock.now() + 600_000
    const visit = visitRef('apply', 'cluster-1')
    const found = (await schedule.dueBy(due, 10)).map(({ ref }) => ref.name).sort()
    assert.deepEqual(found, ['changed', 'cluster-1', 'kept'])
    assert.deepEqual((await visits.read(visit))?.members, [{ ref: widget('kept'), due, every: 600_000 }])
    const again = await leases.acquire(widget('kept'), 60_000)
    assert.equal(again?.token, clock.now() + 2)
  })

  test(`a release of format ${format} is refused once this one has been at work, and says what to do`, async () => {
    const { table } = await tableOf(format)
    const rolledBack = () => ofFormat(table, format).get({ pk: 'any', sk: '-' })
    await rolledBack()
    await ofFormat(table).get({ pk: 'any', sk: '-' })
    await assert.rejects(
      rolledBack(),
      new RegExp(`format ${tableFormat}, but this release supports at most ${format}: deploy the newer release again`),
    )
  })
}

test('the dictionary of format 2 is what it was: another one needs another format', () => {
  const digest = createHash('sha256').update(stateDictionary()).digest('hex')
  assert.equal(digest, '929b737c496985b7011444b66f1323ef3eff7aeaa6620f7f5cc04e4271d0f4d5')
})
