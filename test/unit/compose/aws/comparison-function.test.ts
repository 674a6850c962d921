/** A comparison by the function `apply` or `resourceset`, for the API server: both ends of the invocation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompareRequest, parseCompareRequest, sample } from '../../../../events/compare.ts'
import { sample as message } from '../../../../events/queue-message.ts'
import { compareByFunction, handleComparison } from '../../../../lib/compose/aws/comparison-function.ts'
import type { Compare } from '../../../../lib/hub/live/comparison-reports.ts'

const { unit } = sample

/** Compares by a function that runs here. */
const comparing = (compare: Compare): Compare =>
  compareByFunction(
    {
      fetch: (async (_: string, { body = '' }) =>
        Response.json(await handleComparison(compare, parseCompareRequest(JSON.parse(body))))) as never,
      clock: { now: Date.now },
      environment: {},
    },
    {
      ...{ functionName: 'hub-apply', region: 'eu-west-1' },
      identity: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }),
    },
  )

test('the unit arrives as it was named, and what was found returns', async () => {
  const found = {
    ...{
      comparedAt: '2026-11-29T08:00:00Z',
      desired: 'AppliedLast' as const,
      revision: 'main@sha1:1',
      counts: { created: 1 },
    },
    ...{ changes: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'ä', action: 'created' as const }] },
    ...{ moreChanges: 0, refused: [] },
  }
  const asked: unknown[] = []
  const compare = comparing(async ref => {
    asked.push(ref)
    return found
  })
  assert.deepEqual(await compare(unit), found)
  assert.deepEqual(asked, [unit])
})

test('why a unit is not compared returns, too', async () => {
  assert.deepEqual(await comparing(async () => ({ notCompared: 'it is suspended' }))(unit), {
    notCompared: 'it is suspended',
  })
})

test('a message of a queue is no request for a comparison, and a request names all of its unit', () => {
  assert.equal(isCompareRequest(message), false)
  assert.equal(isCompareRequest(sample), true)
  assert.throws(() => parseCompareRequest({ ...sample, unit: { ...unit, name: 1 } }), /unit\.name/)
})
