/** What a ResourceSet of a runner copies, by the function `resourceset`, for the API server: both ends of the invocation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompareRequest } from '../../../../events/compare.ts'
import { isCopiedDataRequest, parseCopiedDataRequest, sample } from '../../../../events/copied-data.ts'
import { sample as message } from '../../../../events/queue-message.ts'
import { copiedSourcesByFunction, handleCopiedData } from '../../../../lib/compose/aws/copied-data-function.ts'
import type { ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { ResourceSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import type { CopiedSources } from '../../../../lib/reconcile/runner/data-of-set.ts'

const { set: place } = sample
const set = { metadata: place } as ResourceSet

/** Finds it by a function that runs here, over a hub with this set. */
const finding = (sources: CopiedSources, stored: ResourceSet | undefined = set): CopiedSources => {
  const hub = { get: async ({ name }: ObjectRef) => (name === place.name ? stored : undefined) } as never
  return copiedSourcesByFunction(
    {
      fetch: (async (_: string, { body = '' }) =>
        Response.json(await handleCopiedData(hub, sources, parseCopiedDataRequest(JSON.parse(body))))) as never,
      clock: { now: Date.now },
      environment: {},
    },
    {
      ...{ functionName: 'hub-resourceset', region: 'eu-west-1' },
      identity: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }),
    },
  )
}

test('the function renders the set that it reads itself, and what that copies returns', async () => {
  const sources = [{ kind: 'Secret', namespace: 'keys', name: 'ä' }] as const
  const rendered: ResourceSet[] = []
  const find = finding(async given => {
    rendered.push(given)
    return sources
  })
  assert.deepEqual(await find({ ...set, spec: { resourcesTemplate: 'forged' } }), sources)
  assert.deepEqual(rendered, [set])
  assert.deepEqual(await find({ ...set, metadata: { ...place, name: 'gone' } }), [], 'a set that does not exist')
})

test('why a set can not be rendered returns, too', async () => {
  const find = finding(async () => {
    throw new Error('no way')
  })
  await assert.rejects(find(set), /no way/)
})

test('messages and requests for comparisons are no such requests, which name all of the set', () => {
  assert.deepEqual([isCopiedDataRequest(message), isCopiedDataRequest(sample)], [false, true])
  assert.equal(isCompareRequest(sample), false)
  assert.throws(() => parseCopiedDataRequest({ ...sample, set: { ...place, name: 1 } }), /set\.name/)
})
