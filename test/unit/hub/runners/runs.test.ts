/** Runs that runners hand over: recorded as theirs, and only theirs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Run, RunContent } from '../../../../lib/foundations/kinds/run.ts'
import { run as runKind } from '../../../../lib/foundations/kinds/run.ts'
import { verifyReceipt } from '../../../../lib/foundations/rules/verify-receipt.ts'
import { runReader } from '../../../../lib/hub/runs/run-reader.ts'
import { by } from '../store/world.ts'
import { type RunnerWorld, runnerWorld, unitOf } from './runner-world.ts'

const aurora = 'ships/aurora'

const content: RunContent = {
  unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app', uid: 'x' },
  cause: { type: 'Spec', user: 'mona' },
  counts: { created: 1 },
  changes: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default', action: 'created' }],
  result: 'Succeeded',
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.000Z',
}

const runsIn = async (
  { platform, hub }: Pick<RunnerWorld, 'platform' | 'hub'>,
  namespace: string,
): Promise<readonly Run[]> => (await runReader({ ...platform, hub }).list<Run>({ ...runKind, namespace })).items

const world = async () => {
  const it = await runnerWorld()
  const { caller, sync } = await it.runner(aurora)
  const uid = (await it.hub.get<KubernetesObject>(unitOf('ships')))!.metadata.uid!
  const startedAt = it.clock.now()
  const about = { lease: sync.lease, ref: unitOf('ships'), uid, startedAt, content, repeats: 0 }
  return { ...it, caller, sync, about }
}

test('a Run of a runner is one of the hub: about its own unit and cluster, whatever it says', async () => {
  const it = await world()
  const forged = {
    ...content,
    unit: { ...content.unit, name: 'other', uid: 'y' },
    cluster: { kind: 'Secret', namespace: 'shops', name: 'berlin' },
    repeats: 7,
    metadata: { name: 'chosen' },
    unknown: 'text',
  }
  const handed = await it.caller.send(aurora, 'run', { ...it.about, content: forged })
  assert.deepEqual(handed, { status: 200, body: {} })
  const [run, ...others] = await runsIn(it, 'ships')
  assert.deepEqual(others, [])
  assert.match(run!.metadata.name, /^kustomization-app-/)
  assert.deepEqual(run!.unit, { ...content.unit, uid: it.about.uid })
  assert.deepEqual(run!.cluster, { kind: 'ConfigMap', namespace: 'ships', name: 'aurora' })
  assert.deepEqual([run!.changes, run!.cause, run!.repeats], [content.changes, content.cause, undefined])
  assert.equal(Object.hasOwn(run!, 'unknown'), false)
  assert.deepEqual(await runsIn(it, 'shops'), [])
})

test('the hub signs the Run of a runner as what it was sent, and not what the runner calls a receipt', async () => {
  const it = await world()
  const receipt = { payloadType: 'application/vnd.in-toto+json', payload: 'e30=', signatures: [] }
  const signed = { keyid: 'a', sig: 'b', reportedBy: 'shops/berlin' }
  await it.caller.send(aurora, 'run', { ...it.about, content: { ...content, receipt, signed } })
  const [run] = await runsIn(it, 'ships')
  const result = verifyReceipt(run!, await it.publicKeys())
  assert.ok(result.verified)
  assert.equal(result.statement.predicate.reportedBy, aurora)
})

test('a Run that is handed over twice, or has repeated since, is one Run', async () => {
  const it = await world()
  await it.caller.send(aurora, 'run', it.about)
  await it.caller.send(aurora, 'run', it.about)
  await it.caller.send(aurora, 'run', { ...it.about, alike: 'a', repeats: 2, repeatedAt: it.clock.now() + 5 })
  const runs = await runsIn(it, 'ships')
  assert.deepEqual(
    runs.map(({ repeats }) => repeats),
    [2],
  )
})

test('no Run about a unit of another cluster, of the future, or that is no Run', async () => {
  const it = await world()
  const { uid } = (await it.hub.get<KubernetesObject>(unitOf('shops')))!.metadata
  const statusOf = async (change: object) => (await it.caller.send(aurora, 'run', { ...it.about, ...change })).status
  assert.equal(await statusOf({ ref: unitOf('shops'), uid }), 404)
  assert.equal(await statusOf({ uid: 'another' }), 404)
  assert.equal(await statusOf({ ref: undefined }), 400)
  assert.equal(await statusOf({ lease: it.sync.lease + 1 }), 410)
  assert.equal(await statusOf({ startedAt: it.clock.now() + 3_600_000 }), 400)
  assert.equal(await statusOf({ startedAt: 'now' }), 400)
  assert.equal(await statusOf({ repeats: -1 }), 400)
  assert.equal(await statusOf({ content: { ...content, result: 'Splendid' } }), 400)
  assert.equal(await statusOf({ content: 'text' }), 400)
  assert.equal(await statusOf({ content: { ...content, message: 'x'.repeat(600_000) } }), 400)
  assert.deepEqual([await runsIn(it, 'ships'), await runsIn(it, 'shops')], [[], []])
})

test('the deletion of a unit is recorded once it is gone, by the runner that had it', async () => {
  const it = await world()
  const ref = unitOf('ships')
  await it.caller.send(aurora, 'run', it.about)
  await it.hub.patch(ref, { type: 'merge', patch: { metadata: { finalizers: null } } }, by('test'))
  await it.hub.delete(ref, {})
  const deletion = { ...content, cause: { type: 'Deletion' }, result: 'Deleted' }
  const statusOf = async (change: object) =>
    (await it.caller.send(aurora, 'run', { ...it.about, startedAt: it.clock.now(), content: deletion, ...change }))
      .status
  await it.clock.advance(1000)
  assert.equal(await statusOf({ uid: 'another' }), 404)
  assert.equal(await statusOf({ ref: { ...ref, name: 'b' } }), 404)
  assert.equal(await statusOf({}), 200)
  assert.deepEqual(
    (await runsIn(it, 'ships')).map(({ result }) => result),
    ['Deleted', 'Succeeded'],
  )
})

test('a unit that has moved to another cluster has no more Runs of its former runner', async () => {
  const it = await world()
  await it.caller.send(aurora, 'run', it.about)
  const moved = { spec: { kubeConfig: { configMapRef: { name: 'elsewhere' } } } }
  await it.hub.patch(unitOf('ships'), { type: 'merge', patch: moved }, by('test'))
  await it.clock.advance(1000)
  const { status } = await it.caller.send(aurora, 'run', { ...it.about, startedAt: it.clock.now() })
  assert.deepEqual([status, (await runsIn(it, 'ships')).length], [404, 1])
})

test('a runner learns who has changed a unit that it has not observed', async () => {
  const it = await runnerWorld()
  const patch = { spec: { path: './other' } }
  await it.hub.patch(unitOf('ships'), { type: 'merge', patch }, { ...by('test'), user: 'mona' })
  const { sync } = await it.runner(aurora)
  assert.deepEqual(Object.values(sync.copy!.changedBy ?? {}), ['mona'])
})
