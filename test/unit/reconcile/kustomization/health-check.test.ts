/** A health check that goes on over many passes, and what comes in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/kinds/flux.ts'
import type { KustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { author, configMap, kustomizationRef, onStage, type Scene } from './scene.ts'

const parent = kustomizationRef('parent')

const child = (source: string): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: child, namespace: default}
spec: {interval: 10m, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: ${source}}}
`
const neverReady = child('never')

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

test('KS-324 the history tells of runs that have ended, a request is handled when its run has', async () => {
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
    await scene.push('1', { 'app/child.yaml': child('app'), 'child/a.yaml': configMap('a', '1') })
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
    await change(scene, { spec: { path: './other' } })
    await scene.advance(1_000)
    assert.match((await scene.conditions('parent')).join(), /Ready=True ReconciliationSucceeded/)
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
