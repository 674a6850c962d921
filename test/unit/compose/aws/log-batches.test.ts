import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logEventOf, nextBatch, rejectedIn } from '../../../../lib/compose/aws/log-batches.ts'
import type { AuditEvent } from '../../../../lib/hub/apiserver/audit/audit-event.ts'

const event = (more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'a',
    stage: 'ResponseComplete',
  },
  ...{ requestURI: '/api/v1/configmaps', verb: 'create', user: { username: 'jane' }, sourceIPs: [] },
  ...{ requestReceivedTimestamp: '2026-11-28T00:00:00.000000Z', stageTimestamp: '2026-11-28T00:00:01.234000Z' },
  ...more,
})

test('an event has the time of its stage, and is whole as long as it fits', () => {
  const { timestamp, message } = logEventOf(event({ requestObject: { data: { a: '1' } } }))
  assert.equal(timestamp, Date.parse('2026-11-28T00:00:01.234Z'))
  assert.deepEqual(JSON.parse(message), event({ requestObject: { data: { a: '1' } } }))
})

test('an event that is larger than a request may be goes without bodies, and without all that clients choose, and says so', () => {
  const large = 'ä'.repeat(300_000)
  const bodies = logEventOf(event({ requestObject: large, responseObject: large, annotations: { why: 'allowed' } }))
  assert.deepEqual(
    JSON.parse(bodies.message),
    event({ annotations: { why: 'allowed', 'audit.k8s.io/truncated': 'true' } }),
  )
  const { requestURI: _, sourceIPs: __, ...core } = event({ annotations: { 'audit.k8s.io/truncated': 'true' } })
  assert.deepEqual(JSON.parse(logEventOf(event({ requestURI: `/${large}${large}` })).message), core)
})

test('a request has 1,048,576 bytes at most, 26 of them for each event, and 10,000 events', () => {
  const of = (bytes: number) => ({ timestamp: 0, message: 'x'.repeat(bytes) })
  assert.equal(nextBatch([of(1_048_550)]), 1)
  assert.equal(nextBatch([of(524_262), of(524_262), of(0)]), 2)
  assert.equal(nextBatch([of(524_262), of(524_263)]), 1)
  assert.equal(nextBatch(Array.from({ length: 10_001 }, () => of(1))), 10_000)
  assert.equal(nextBatch([]), 0)
})

test('of a request, what is too old or too new is not stored, and the others are', () => {
  const stored = (info: object | undefined) =>
    [0, 1, 2, 3].filter(at => !rejectedIn({ ...(info && { rejectedLogEventsInfo: info }) })(at))
  assert.deepEqual(stored(undefined), [0, 1, 2, 3])
  assert.deepEqual(stored({ tooOldLogEventEndIndex: 1, tooNewLogEventStartIndex: 3 }), [1, 2])
  assert.deepEqual(stored({ expiredLogEventEndIndex: 2 }), [2, 3])
})
