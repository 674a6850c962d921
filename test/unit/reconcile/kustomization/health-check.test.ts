/** A health check that goes on over many passes, and what comes in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, failing, onStage, type Scene } from './scene.ts'

const parent = kustomizationRef('parent')

const child = (name: string, source: string): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec: {interval: 10m, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: ${source}}}
`

const neverReady = child('child', 'never')

/** A Kustomization whose health check has been running for 10 of its 60 seconds. */
const duringCheck = (settings: Partial<KustomizationSettings>, story: (scene: Scene) => Promise<void>) =>
  onStage({ settings }, async scene => {
    await scene.push('1', { 'app/child.yaml': neverReady, 'other/a.yaml': configMap('a', '1') })
    await scene.kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    await scene.advance(10_000)
    await story(scene)
  })

const change = ({ hub }: Scene, patch: unknown) => hub.patch(parent, { type: 'merge', patch }, author)

const request = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }

const failed = /^Warning HealthCheckFailed 1x: health check failed after 1m0/
const canceled =
  /^Normal HealthCheckCanceled 1x: Health checks canceled due to new reconciliation triggered by Kustomization\/default\/parent$/

const checking = 'Running health checks for revision main@sha1:1 with a timeout of 1m0s'
const waitingForChild = [
  `Reconciling=True Progressing: ${checking}`,
  'Ready=Unknown Progressing: Reconciliation in progress',
  `Healthy=Unknown Progressing: ${checking}`,
]

test('KS-098 KS-118 waits for the applied objects over many passes, without blocking others', async () => {
  await onStage({}, async ({ hub, push, kustomize, conditions, advance, values, passes }) => {
    await push('1', { 'app/child.yaml': child('child', 'later'), 'child/a.yaml': configMap('a', '1') })
    await kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    await advance(20_000)
    assert.deepEqual(await conditions('parent'), waitingForChild)
    const applied = passes.filter(({ ref, outcome }) => ref.name === 'parent' && outcome === 'waiting').length
    assert.ok(applied > 2 && applied < 20, `${applied} passes`)

    const patch = { spec: { sourceRef: { name: 'app' } } }
    await hub.patch(kustomizationRef('child'), { type: 'merge', patch }, author)
    await advance(15_000)
    assert.deepEqual(await values(), { a: '1' })
    const [ready, healthy] = await conditions('parent')
    assert.equal(ready, 'Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1')
    assert.match(healthy ?? '', /^Healthy=True Succeeded: Health check passed in (2|3)\d/)
  })
})

test('KS-103 gives up after the timeout, naming each object and its state', async () => {
  await onStage({}, async ({ push, kustomize, conditions, advance, eventsOf, read }) => {
    await push('1', { 'app/child.yaml': child('child', 'never') })
    await kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    await advance(62_000)
    const problem = "timeout waiting for: [Kustomization/default/child status: 'InProgress']"
    const [reconciling, ready, healthy] = await conditions('parent')
    assert.equal(reconciling, `Reconciling=True ProgressingWithRetry: ${checking}`)
    assert.match(ready ?? '', /^Ready=False HealthCheckFailed: health check failed after 1m0\S*: timeout waiting for/)
    assert.equal(healthy, `Healthy=False HealthCheckFailed: ${problem}`)
    assert.ok((await eventsOf(kustomizationRef('parent'))).some(event => event.endsWith(problem)))
    assert.deepEqual(
      (await read('parent'))?.status?.history?.map(({ lastReconciledStatus }) => lastReconciledStatus),
      ['HealthCheckFailed'],
    )
  })
})

test('KS-083 finishes a health check before it takes up a new revision and a request', async () => {
  await onStage({}, async ({ hub, push, kustomize, conditions, advance, read }) => {
    await push('1', { 'app/child.yaml': child('child', 'never') })
    await kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    await push('2', { 'app/a.yaml': configMap('a', '1') })
    const patch = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
    await hub.patch(kustomizationRef('parent'), { type: 'merge', patch }, author)
    await advance(20_000)
    assert.deepEqual(await conditions('parent'), waitingForChild)
    assert.equal((await read('parent'))?.status?.lastHandledReconcileAt, undefined)

    await advance(45_000)
    const { status } = (await read('parent'))!
    assert.equal(status?.lastAppliedRevision, 'main@sha1:2')
    assert.equal(status?.lastHandledReconcileAt, 'now')
    assert.deepEqual(
      status?.history?.map(({ lastReconciledStatus }) => lastReconciledStatus),
      ['ReconciliationSucceeded', 'HealthCheckFailed'],
    )
  })
})

test('keeps waiting for health when the cluster is away for a while', async () => {
  const { state, cluster } = failing(['get', 'list'])
  await onStage({ cluster }, async ({ push, kustomize, conditions, advance }) => {
    await push('1', { 'app/child.yaml': child('child', 'never') })
    await kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    state.on = true
    await advance(20_000)
    assert.deepEqual(await conditions('parent'), waitingForChild)
    await advance(45_000)
    assert.match(
      (await conditions('parent')).join(),
      /Healthy=False HealthCheckFailed: Get "https:\/\/10\.0\.0\.1\/api"/,
    )
  })
})

test('applies an object again that is deleted during the health check', async () => {
  await onStage({}, async ({ hub, push, kustomize, advance, values }) => {
    await push('1', { 'app/child.yaml': child('child', 'never'), 'app/a.yaml': configMap('a', '1') })
    await kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    await hub.delete({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }, {})
    await advance(15_000)
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('KS-324 the history reports runs that have ended, a request is handled when its run has', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'app/child.yaml': neverReady })
    await scene.kustomize('parent', { path: './app', suspend: true, wait: true, timeout: '1m' })
    await change(scene, { ...request, spec: { suspend: false } })
    await scene.advance(10_000)
    const { status } = (await scene.read('parent'))!
    assert.equal(status?.history, undefined)
    assert.equal(status?.lastHandledReconcileAt, undefined)
    await scene.advance(52_000)
    const after = (await scene.read('parent'))!.status
    assert.equal(after?.history?.[0]?.lastReconciledStatus, 'HealthCheckFailed')
    assert.equal(after?.lastHandledReconcileAt, 'now')
  })
})

test('health after drift is no news', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'app/child.yaml': child('child', 'app'), 'child/a.yaml': configMap('a', '1') })
    await scene.kustomize('parent', { path: './app', wait: true, timeout: '1m' })
    await scene.advance(10_000)
    const passed = async () => (await scene.eventsOf(parent)).filter(event => event.includes('Health check passed'))
    assert.equal((await passed()).length, 1)
    const { length } = scene.passes
    const drift = { spec: { path: './elsewhere' } }
    await scene.hub.patch(kustomizationRef('child'), { type: 'merge', patch: drift }, author)
    await change(scene, request)
    await scene.advance(10_000)
    const outcomes = scene.passes.slice(length).filter(({ ref }) => ref.name === 'parent')
    assert.deepEqual([...new Set(outcomes.map(({ outcome }) => outcome))], ['waiting', 'done'])
    assert.equal((await passed()).length, 1)
  })
})

test('KS-083 a deletion waits for the end of the health check', async () => {
  await duringCheck({}, async ({ hub, read, advance, eventsOf }) => {
    await hub.delete(parent, {})
    await advance(30_000)
    assert.ok(await read('parent'))
    await advance(25_000)
    assert.equal(await read('parent'), undefined)
    const events = await eventsOf(parent)
    assert.ok(events.some(event => failed.test(event)))
    assert.ok(events.includes('Normal HealthCheckFailed 1x: Kustomization/default/child deleted'))
  })
})

test('so does a suspension', async () => {
  await duringCheck({}, async scene => {
    await change(scene, { spec: { suspend: true } })
    await scene.advance(30_000)
    assert.match((await scene.conditions('parent')).join(), /Healthy=Unknown/)
    await scene.advance(25_000)
    assert.match((await scene.conditions('parent')).join(), /Ready=False HealthCheckFailed/)
    const { length } = scene.passes
    await scene.advance(600_000)
    assert.deepEqual(
      scene.passes.slice(length).filter(({ ref }) => ref.name === 'parent'),
      [],
    )
  })
})

test('a new spec ends the health check, as it may check something else', async () => {
  await duringCheck({}, async scene => {
    await change(scene, { spec: { path: './other', wait: false } })
    await scene.advance(1_000)
    const applied = 'Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1'
    assert.deepEqual(await scene.conditions('parent'), [applied])
    assert.ok((await scene.eventsOf(parent)).some(event => canceled.test(event)))
  })
})

for (const [title, act] of [
  ['a request', (scene: Scene) => change(scene, request)],
  ['a suspension', (scene: Scene) => change(scene, { spec: { suspend: true } })],
  ['a deletion', ({ hub }: Scene) => hub.delete(parent, {})],
] as const) {
  test(`KS-335 with CancelHealthCheckOnNewRevision ${title} ends the health check`, async () => {
    await duringCheck({ cancelHealthChecks: true }, async scene => {
      await act(scene)
      await scene.advance(500)
      const events = await scene.eventsOf(parent)
      assert.equal(events.filter(event => canceled.test(event)).length, 1)
      assert.ok(!events.some(event => failed.test(event)))
    })
  })
}
