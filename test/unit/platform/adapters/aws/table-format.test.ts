import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dynamoTable, number, text } from '../../../../../lib/platform/adapters/aws/table.ts'
import { NewerFormat, ofFormat, tableFormat } from '../../../../../lib/platform/adapters/aws/table-format.ts'
import { simulatedDynamo } from '../../../../bed/aws/simulated-dynamo.ts'

const item = { pk: text('a'), sk: text('-') }

test('records its format in a table without one, checks it once per process, and refuses a newer one', async () => {
  const dynamo = simulatedDynamo()
  const plain = dynamoTable(dynamo.client, 'hub')
  const format = async () => Number((await plain.get({ pk: 'format', sk: '-' }))?.format?.N)

  const current = ofFormat(plain)
  await Promise.all([current.put(item), current.get({ pk: 'a', sk: '-' })])
  assert.equal(await format(), tableFormat)
  dynamo.takeUnits()
  await current.get({ pk: 'a', sk: '-' })
  assert.equal(dynamo.takeUnits().read, 1)

  const newer = ofFormat(plain, tableFormat + 1)
  assert.ok(await newer.get({ pk: 'a', sk: '-' }), 'a newer release reads what an older one wrote')
  assert.equal(await format(), tableFormat + 1)

  const rolledBack = ofFormat(plain)
  const words = `has format ${tableFormat + 1}, but this release supports at most ${tableFormat}: deploy the newer`
  const refused = { name: 'NewerFormat', message: new RegExp(words) }
  await assert.rejects(rolledBack.put(item), refused)
  await assert.rejects(Array.fromAsync(rolledBack.query({ pk: 'a' })), refused)
  await assert.rejects(rolledBack.transact([{ name: 'x', put: item }]), NewerFormat)
  assert.ok(await newer.put({ ...item, n: number(1) }))
})
