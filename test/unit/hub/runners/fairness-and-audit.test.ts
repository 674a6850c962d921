/** Requests of runners count, and are recorded, as those of any other caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as settle } from 'node:timers/promises'
import type { AuditEvent } from '../../../../lib/hub/apiserver/audit/audit-event.ts'
import { readAuditPolicy } from '../../../../lib/hub/apiserver/audit/audit-policy.ts'
import { auditing } from '../../../../lib/hub/apiserver/audit/audit-trail.ts'
import { createFairness } from '../../../../lib/hub/apiserver/fairness/fairness.ts'
import { heldWakeUps } from '../../../../lib/platform/adapters/embedded/held-wake-ups.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import { by } from '../store/world.ts'
import { digest, runnerWorld } from './runner-world.ts'

const aurora = 'ships/aurora'

test('requests of runners are in the audit log, without their content', async () => {
  const records: AuditEvent[] = []
  const policy = readAuditPolicy('{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}')
  const audit = auditing({
    ...{ clock: manualClock(), random: { uuid: () => 'id' }, log: { info() {}, error() {} }, policy },
    write: async event => void records.push(event),
  })
  const world = await runnerWorld(undefined, { audit })
  const { caller } = await world.runner(aurora)
  await world.caller().send(aurora, 'sync', {})
  assert.equal((await caller.send(aurora, 'sync', {})).status, 410)
  const shown = records
    .filter(({ stage }) => stage !== 'RequestReceived')
    .map(({ user, verb, requestURI, objectRef, responseStatus }) => {
      const { namespace, resource, name, subresource } = objectRef ?? {}
      const what = objectRef ? `${resource}/${subresource} ${namespace}/${name}` : '-'
      return `${user.username} ${verb} ${requestURI} ${what} ${responseStatus?.code}`
    })
  assert.deepEqual(shown, [
    'system:anonymous create /runner/v1/enrol clusters/runner ships/aurora 200',
    'system:runner:ships:aurora get /runner/v1/sync clusters/runner ships/aurora 200',
    'undefined post /runner/v1/sync - 401',
    'system:runner:ships:aurora get /runner/v1/sync clusters/runner ships/aurora 410',
  ])
  assert.doesNotMatch(JSON.stringify(records), /token-of|requestObject/)
})

test("runners have their namespace's share of the API: what exceeds it gets 429, and others are served", async () => {
  const blocked = Promise.withResolvers<undefined>()
  const limits = { maxRequestsInflight: 8, maxMutatingRequestsInflight: 8, maxWatches: 0, maxWatchesPerTenant: 0 }
  const world = await runnerWorld(undefined, { fairness: createFairness(limits), read: () => blocked.promise })
  const path = 'gitrepository/ships/app/1.tar.gz'
  const artifact = { path, digest: digest('a'), revision: '1', url: 'http://x', lastUpdateTime: '2026-01-01T00:00:00Z' }
  const ref = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'ships', name: 'app' }
  const patch = { status: { artifact } }
  await world.hub.patch(ref, { type: 'merge', patch }, { ...by('test'), subresource: 'status' })
  const [{ caller, sync }, other] = [await world.runner(aurora), await world.runner('shops/berlin')]
  const name = `gitrepository/ships/app/${artifact.digest.slice(7)}.tar.gz`
  // Two of the eight seats, and a queue of 50.
  const waiting = Array.from({ length: 52 }, () => caller.send(aurora, 'artifact', { lease: sync.lease, name }))
  await settle(50)
  assert.equal((await caller.send(aurora, 'sync', { lease: sync.lease })).status, 429)
  assert.equal((await other.caller.send('shops/berlin', 'sync', { lease: other.sync.lease })).status, 200)
  blocked.resolve(undefined)
  assert.deepEqual([...new Set((await Promise.all(waiting)).map(({ status }) => status))], [404])
})

test('requests that are held take no seat of others', async () => {
  const clock = manualClock()
  const limits = { maxRequestsInflight: 1, maxMutatingRequestsInflight: 1, maxWatches: 0, maxWatchesPerTenant: 3 }
  const held = heldWakeUps(clock)
  const world = await runnerWorld(undefined, { fairness: createFairness(limits), heldWakeUps: held })
  const { caller, sync } = await world.runner(aurora)
  const wait = () => caller.send(aurora, 'wait', { lease: sync.lease, seen: held.count(), forMs: 1000 })
  const waiting = [wait(), wait(), wait()]
  await settle(50)
  assert.equal((await caller.send(aurora, 'sync', { lease: sync.lease })).status, 200)
  assert.equal((await wait()).status, 429, 'there is a maximum for each namespace')
  await clock.advance(1000)
  assert.deepEqual([...new Set((await Promise.all(waiting)).map(({ status }) => status))], [200])
})

test('nothing of a body is read before its signer is known, and only little of one that asks to enrol', async () => {
  const world = await runnerWorld()
  await world.runner(aurora)
  const stranger = world.caller()
  const large = { cluster: aurora, token: 'x'.repeat(5000), publicKey: stranger.publicKey }
  assert.equal((await stranger.send(aurora, 'enrol', large)).status, 413)
  assert.equal((await stranger.send(aurora, 'sync', { known: 'x'.repeat(4_000_000) })).status, 401)
})
