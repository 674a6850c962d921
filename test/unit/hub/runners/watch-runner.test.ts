/** A Cluster says that its runner is away, within two minutes, and no sooner than a restart takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { pollingPace } from '../../../../lib/hub/runners/pace.ts'
import { runnerLeaseMs } from '../../../../lib/hub/runners/protocol.ts'
import { graceMs, watchRunner } from '../../../../lib/hub/runners/watch-runner.ts'
import { by } from '../store/world.ts'
import { runnerWorld, unitOf } from './runner-world.ts'

const { watchMs } = pollingPace
const aurora = 'ships/aurora'
const ref = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'ships', name: 'aurora' }

const world = async () => {
  const it = await runnerWorld()
  const events: string[] = []
  const watch = watchRunner(
    {
      ...{ hub: it.hub, leases: it.platform.leases, clock: it.clock },
      recordEvent: async ({ metadata }, { reason }) => void events.push(`${metadata.name} ${reason}`),
    },
    pollingPace,
  )
  const cluster = async () => (await it.hub.get<Cluster>(ref))!
  const reasons = async () => {
    const { conditions } = (await cluster()).status ?? {}
    return ['Reachable', 'Ready'].map(type => {
      const found = conditionOf(conditions, type)
      return found && `${found.status} ${found.reason}`
    })
  }
  return { ...it, events, reasons, look: async () => watch(await cluster()), watch }
}

test('while a runner holds its lease, nothing is written about it', async () => {
  const it = await world()
  await it.runner(aurora)
  const before = await it.hub.get<Cluster>(ref)
  assert.equal(await it.look(), watchMs)
  assert.equal((await it.hub.get<Cluster>(ref))!.metadata.resourceVersion, before!.metadata.resourceVersion)
})

test('a silent runner is RunnerSilent at once, and RunnerAway after its grace, with one event', async () => {
  const it = await world()
  const { caller, sync } = await it.runner(aurora)
  const patch = {
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'ClusterReady',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  }
  await it.hub.patch(ref, { type: 'merge', patch }, { ...by('test'), subresource: 'status' })
  await it.clock.advance(runnerLeaseMs + 1)
  assert.equal(await it.look(), graceMs)
  assert.deepEqual(await it.reasons(), ['Unknown RunnerSilent', 'True ClusterReady'])
  await it.clock.advance(graceMs / 2)
  assert.ok(((await it.look()) ?? 0) <= graceMs / 2 + 1000)
  assert.deepEqual(await it.reasons(), ['Unknown RunnerSilent', 'True ClusterReady'])
  await it.clock.advance(graceMs / 2 + 1000)
  await it.look()
  assert.deepEqual(await it.reasons(), ['False RunnerAway', 'False RunnerAway'])
  await it.clock.advance(watchMs)
  await it.look()
  assert.deepEqual(it.events, ['aurora RunnerAway'])

  assert.equal((await caller.send(aurora, 'sync', { lease: sync.lease })).status, 410, 'its session is over')
  const next = await caller.send(aurora, 'sync', {})
  assert.equal(next.status, 200)
  const copied = (next.body.copy as { readonly own: readonly Cluster[] }).own.find(({ kind }) => kind === 'Cluster')
  assert.equal(conditionOf(copied?.status?.conditions, 'Ready')?.reason, 'RunnerAway', 'what it must correct')
})

test('a suspended Cluster and units are not watched', async () => {
  const it = await world()
  await it.hub.patch(ref, { type: 'merge', patch: { spec: { suspend: true } } }, by('test'))
  assert.equal(await it.look(), undefined)
  assert.equal(await it.watch((await it.hub.get(unitOf('ships')))!), undefined)
  assert.deepEqual(await it.reasons(), [undefined, undefined])
})
