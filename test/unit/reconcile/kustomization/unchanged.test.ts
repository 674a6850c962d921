import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage } from './scene.ts'

const app = kustomizationRef('app')
const tenMinutes = 600_000

test('an interval that finds everything as it was leaves no trace in the hub', () =>
  onStage({}, async ({ push, kustomize, read, eventsOf, advance, passes, visited }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { interval: '10m' })
    const before = await read('app')
    const told = JSON.stringify(await eventsOf(app))
    const looked = passes.length
    await advance(3.5 * tenMinutes)
    assert.equal(passes.length, looked, 'no pass was needed')
    assert.ok(visited.filter(({ unchanged }) => unchanged.length === 1).length >= 3)
    assert.deepEqual(await read('app'), before)
    assert.equal(JSON.stringify(await eventsOf(app)), told)
  }))

test('the same with a health check that passes each time', () =>
  onStage({}, async ({ push, kustomize, read, advance }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { interval: '10m', wait: true })
    const before = await read('app')
    await advance(1.5 * tenMinutes)
    assert.deepEqual(await read('app'), before)
  }))

test('an interval that corrects drift is reported, and counted in the history', () =>
  onStage({}, async ({ hub, push, kustomize, read, eventsOf, advance }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { interval: '10m' })
    await hub.delete({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }, {})
    await advance(1.5 * tenMinutes)
    assert.equal((await read('app'))?.status?.history?.[0]?.totalReconciliations, 2)
    const events = await eventsOf(app)
    assert.ok(events.includes('Normal Progressing 2x: ConfigMap/default/a created'), events.join('\n'))
  }))

test('a requested pass is reported and counted although it finds everything as it was', () =>
  onStage({}, async ({ hub, push, kustomize, read, eventsOf, settle }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { interval: '10m' })
    const before = (await eventsOf(app)).length
    const patch = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
    await hub.patch(app, { type: 'merge', patch }, author)
    await settle()
    const { status } = (await read('app'))!
    assert.equal(status?.lastHandledReconcileAt, 'now')
    assert.equal(status?.history?.[0]?.totalReconciliations, 2)
    assert.equal((await eventsOf(app)).length, before + 1)
  }))
