/** What a function of its own reads of clusters, for the API server: both ends of the invocation. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { parseLiveRequest } from '../../../../events/live.ts'
import { handleLive } from '../../../../lib/compose/aws/handle-live.ts'
import { liveByFunction } from '../../../../lib/compose/aws/live-function.ts'
import type { FleetReports } from '../../../../lib/hub/apiserver/fleet/fleet-reports.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'

const authorize = async () => ({ allowed: true })
const jane = { name: 'jane', groups: ['devs'], uid: '1', extra: { 'example.com/scope': ['all'] } }

/** Reports of an API server whose function runs here, with these reports of its own. */
const reporting = (reports: FleetReports) => {
  const invoked: unknown[] = []
  const fetch = async (_: string, { body = '' }) => {
    const event: unknown = JSON.parse(body)
    invoked.push(event)
    return Response.json(await handleLive({ reports, authorize }, parseLiveRequest(event)))
  }
  const report = liveByFunction(
    { fetch: fetch as never, clock: { now: Date.now }, environment: {} },
    {
      ...{ functionName: 'hub-live', region: 'eu-west-1' },
      identity: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }),
    },
  )
  const read = (path: string) => report(new URL(path, 'https://hub.example'), { user: jane, authorize })
  return { read, invoked }
}

test('a report is read as the person, with the path and query that they sent', async () => {
  const { read, invoked } = reporting(async ({ pathname, search }, { user }) => ({ pathname, search, user }))
  const path = '/fleet/live/log?unit=Kustomization%2Fapps%2Fweb&object=a_b__Pod'
  const user = { name: 'jane', groups: ['devs'] }
  assert.deepEqual(await read(path), { pathname: '/fleet/live/log', search: new URL(path, 'https://x').search, user })
  assert.deepEqual(invoked, [{ path, user }])
})

test('nothing is invoked for reports on the hub', async () => {
  const { read, invoked } = reporting(async () => ({}))
  for (const path of ['/fleet/units', '/fleet/live/', '/fleet/livestock', '/fleet/live/object/x'])
    assert.equal(await read(path), undefined)
  assert.deepEqual(invoked, [])
})

test('a refusal arrives as it is; other failures stay in the log of the function', async () => {
  const refusing = reporting(async () => {
    throw new ApiError(403, 'Forbidden', 'on the cluster: pods is forbidden', { kind: 'pods' })
  })
  await assert.rejects(
    refusing.read('/fleet/live'),
    new ApiError(403, 'Forbidden', 'on the cluster: pods is forbidden', { kind: 'pods' }),
  )
  const failing = handleLive(
    {
      authorize,
      reports: async () => {
        throw new Error('the table is not there')
      },
    },
    { path: '/fleet/live', user: jane },
  )
  await assert.rejects(failing, /the table is not there/)
})

test('a report may have some megabytes', async () => {
  const text = randomBytes(1_500_000).toString('hex')
  const { read } = reporting(async () => ({ text }))
  assert.deepEqual(await read('/fleet/live/log'), { text })
})

test('an event that is not of the API server is refused, and the message names the field', () => {
  assert.throws(() => parseLiveRequest({ path: '/fleet/live', user: { name: 'jane', groups: 'devs' } }), /user\.groups/)
  assert.throws(() => parseLiveRequest({ path: '/fleet/live' }), /user is not an object/)
})
