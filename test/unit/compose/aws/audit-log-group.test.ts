import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLogGroup } from '../../../../lib/compose/aws/audit-log-group.ts'
import type { AuditEvent } from '../../../../lib/hub/apiserver/audit/audit-event.ts'
import type { Fetch } from '../../../../lib/platform/cloud/send-request.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

// CloudWatch Logs as it answers when something goes wrong: with the emulator in test/aws/audit-log-group.test.ts.

const event = (auditID: string, second = 0) =>
  ({ auditID, stageTimestamp: `2026-11-28T00:00:0${second}.000000Z` }) as AuditEvent

interface Asked {
  readonly operation: string
  readonly body: { readonly logEvents?: readonly { readonly message: string }[] }
}

type Answer = { readonly status: number; readonly json: object } | Error

const scene = (answers: readonly Answer[]) => {
  const asked: Asked[] = []
  const left = [...answers]
  const fetch: Fetch = async (_, { headers, body = '' }) => {
    asked.push({ operation: headers['x-amz-target']!.replace(/.*\./, ''), body: JSON.parse(body) })
    const answer = left.shift() ?? { status: 200, json: {} }
    if (answer instanceof Error) throw answer
    const bytes = [Buffer.from(JSON.stringify(answer.json))]
    return {
      status: answer.status,
      headers: { get: () => null },
      body: (async function* () {
        yield* bytes
      })(),
    }
  }
  const clock = { ...manualClock(), sleep: async () => {} }
  const identity = async () => ({ accessKeyId: 'a', secretAccessKey: 'b' })
  const stream = { group: 'audit', stream: 'one', region: 'eu-west-1', identity }
  const { write, settled } = auditLogGroup({ fetch, environment: {}, clock }, stream)
  const idsOf = ({ body }: Asked) => body.logEvents?.map(({ message }) => JSON.parse(message).auditID as string)
  return {
    write,
    settled,
    asked,
    operations: () => asked.map(({ operation }) => operation),
    batches: () => asked.map(idsOf),
  }
}

const refusal = (status: number, code: string): Answer => ({ status, json: { __type: code, message: 'no' } })

test('the stream is created with the first event, also when another has created it meanwhile', async () => {
  const missing = refusal(400, 'ResourceNotFoundException')
  for (const created of [{ status: 200, json: {} }, refusal(400, 'ResourceAlreadyExistsException')]) {
    const { write, operations } = scene([missing, created])
    await write(event('a'))
    assert.deepEqual(operations(), ['PutLogEvents', 'CreateLogStream', 'PutLogEvents'])
  }
})

test('events that come while a request is pending share the next one, in the order of their times', async () => {
  const { write, settled, batches } = scene([])
  const written = [
    write(event('first')),
    Promise.resolve().then(() => Promise.all([write(event('late', 2)), write(event('early', 1))])),
  ]
  await Promise.all(written)
  await settled()
  assert.deepEqual(batches(), [['first'], ['early', 'late']])
})

test('a request that is throttled, or gets no answer, is repeated twice', async () => {
  const throttled = refusal(400, 'ThrottlingException')
  const passing = scene([throttled, new Error('connect ECONNREFUSED')])
  await passing.write(event('a'))
  assert.equal(passing.asked.length, 3)
  const lasting = scene([throttled, throttled, throttled])
  await assert.rejects(lasting.write(event('a')), /ThrottlingException/)
  assert.equal(lasting.asked.length, 3)
})

test('one that is denied is not repeated, and the next event is tried again', async () => {
  const { write, settled, asked } = scene([refusal(400, 'AccessDeniedException')])
  await assert.rejects(write(event('a')), /AccessDeniedException/)
  await write(event('b'))
  await settled()
  assert.equal(asked.length, 2)
})

test('an event whose time CloudWatch Logs does not accept is not on record', async () => {
  const { write } = scene([{ status: 200, json: { rejectedLogEventsInfo: { tooOldLogEventEndIndex: 1 } } }])
  await assert.rejects(write(event('a')), /does not accept events of this time/)
})
