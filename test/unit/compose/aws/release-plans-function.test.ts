/** Plans of releases that a function of its own makes, for the one that plans pull requests: both ends of the invocation. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { isPlanReleaseRequest, parsePlanReleaseRequest, sample } from '../../../../events/plan-release.ts'
import { sample as batch } from '../../../../events/queue-message.ts'
import { handleReleasePlan } from '../../../../lib/compose/aws/handle-release-plan.ts'
import { unpackText } from '../../../../lib/compose/aws/packed-text.ts'
import { releasePlansByFunction } from '../../../../lib/compose/aws/release-plans-function.ts'
import type { ReleaseAtHead } from '../../../../lib/foundations/fleet/release-at-head.ts'
import type { PlanRelease } from '../../../../lib/reconcile/helm-release/plan-head.ts'
import { dryPasses } from '../../../../lib/reconcile/pull-request/dry-pass.ts'

const release = JSON.parse(unpackText(sample.release)) as ReleaseAtHead
const untouched = { type: 'untouched' } as const
const open = 'it can not be planned: the PullRequest on the hub says why'

/** Rejects with the abort of a signal, as `fetch` does. */
const aborted = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

/** Plans of a function that runs here, and plans with `plan`. `signal` is that of the function. */
const planning = (plan: PlanRelease, signal = new AbortController().signal) => {
  const invoked: unknown[] = []
  const fetch = async (_: string, { body = '', signal: waiting }: { body?: string; signal: AbortSignal }) => {
    const event: unknown = JSON.parse(body)
    invoked.push(event)
    const time = { startedAt: Date.parse('2026-11-29'), signal }
    // Lambda responds with the error of a function that fails.
    const failed = (error: Error) => ({ errorType: error.name, errorMessage: error.message })
    const response = handleReleasePlan(plan, parsePlanReleaseRequest(event), time).catch(failed)
    return Response.json(await Promise.race([response, aborted(waiting)]))
  }
  const planByFunction = releasePlansByFunction(
    { fetch: fetch as never, clock: { now: Date.now }, environment: {} },
    {
      ...{ functionName: 'hub-helmrelease', region: 'eu-west-1' },
      identity: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }),
    },
  )
  const planIn = (given: ReleaseAtHead, signal = new AbortController().signal) =>
    planByFunction(given, dryPasses({ signal, startedAt: 0, confine: async cluster => cluster })())
  return { plan: planIn, invoked }
}

test('the function plans the release as the pull request has it, in a dry run', async () => {
  const given: unknown[] = []
  const { plan, invoked } = planning(async (atHead, pass) => {
    given.push(atHead)
    const cluster = pass.dryRun!.cluster({ server: 'https://cluster.example' } as never)
    await assert.rejects(cluster.delete('v1', {} as never, {} as never), /a dry run writes nothing: delete/)
    return { type: 'skipped', open: 'another version of its chart is only fetched after the merge' }
  })
  assert.deepEqual(await plan(release), {
    type: 'skipped',
    open: 'another version of its chart is only fetched after the merge',
  })
  assert.deepEqual(given, [release])
  assert.deepEqual(invoked, [sample])
})

test('a plan may have some megabytes, and one that Lambda does not deliver is a failure', async () => {
  const refusedOf = (bytes: number) => planning(async () => ({ type: 'failed', open: '', message: text(bytes) }))
  const text = (bytes: number) => randomBytes(bytes).toString('base64')
  const some = await refusedOf(3_000_000).plan(release)
  assert.ok(some.type === 'failed' && some.message.length === 4_000_000)
  const many = await refusedOf(6_000_000).plan(release)
  assert.ok(many.type === 'failed')
  assert.match(many.message, /^the plan has \d{7} bytes compressed, and a function on AWS may send 6287360$/)
  assert.equal(many.open, open)
})

test('a release that is larger than a request is listed as not planned', async () => {
  const { plan, invoked } = planning(async () => untouched)
  const data = { text: randomBytes(6_000_000).toString('base64') }
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'values', namespace: 'default' }, data }
  assert.deepEqual(await plan({ ...release, configMaps: { base: [], head: [configMap] } }), {
    type: 'skipped',
    open: 'with its ConfigMaps it has more than the 6 MB that a function on AWS takes',
  })
  assert.deepEqual(invoked, [])
})

test('a plan that takes too long, or fails by a mistake of ours, does not end the others; what it says stays on the hub', async () => {
  const slow = planning(async (_, { signal }) => {
    signal.throwIfAborted()
    return untouched
  }, AbortSignal.abort())
  assert.deepEqual(await slow.plan(release), { type: 'failed', message: 'planning the release takes too long', open })
  const mistaken = planning(async () => {
    throw new TypeError('undefined is not a function')
  })
  const message = 'AWS: planRelease: the function hub-helmrelease failed: see its log'
  assert.deepEqual(await mistaken.plan(release), { type: 'failed', message, open })
})

test('the end of the pass ends the wait for the function', async () => {
  const { plan } = planning(() => Promise.withResolvers<never>().promise)
  const pass = new AbortController()
  const planned = plan(release, pass.signal)
  pass.abort(new Error('the lease is lost'))
  await assert.rejects(planned, /the lease is lost/)
})

test('batches of the queue are no requests for plans, and a request without a release is refused', () => {
  assert.equal(isPlanReleaseRequest(batch), false)
  assert.equal(isPlanReleaseRequest(sample), true)
  assert.throws(() => parsePlanReleaseRequest({ operation: 'planRelease' }), /release is not a string/)
})
