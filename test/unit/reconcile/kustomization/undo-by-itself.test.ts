import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kustomizationRef } from '../../hub/store/world.ts'
import { configMap, onStage } from './scene.ts'
import { digestOf, pinnedOf, undo, undoTo } from './undo-scene.ts'
import { annotate, conditionsOf } from './windows-scene.ts'

const byItself = { 'keelson.dev/on-failure': 'undo' }

const child = (source: string): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: child, namespace: default}
spec: {interval: 10m, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: ${source}}}
`
const revision = (value: string, source = 'app') => ({
  'app/child.yaml': child(source),
  'app/a.yaml': configMap('a', value),
  'child/c.yaml': configMap('c', '1'),
})
const checked = { path: './app', wait: true, timeout: '1m' } as const

test('with on-failure: undo, a revision that fails its health checks is undone by itself; the next one is applied', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, advance, values } = scene
    await push('1', revision('1'))
    await kustomize('app', checked)
    await advance(30_000)
    await annotate(scene, byItself)
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:1')

    await push('2', revision('2', 'never'))
    assert.equal((await values()).a, '2')
    await advance(90_000)
    assert.equal((await values()).a, '1')
    const { ready, status } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, ready?.reason, status?.lastAppliedRevision], ['False', 'Undone', 'main@sha1:1'])
    assert.match(
      ready?.message ?? '',
      /^revision main@sha1:2 has failed its health checks, so revision main@sha1:1 is kept \(manifests sha256:\w+\); another revision is applied as usual; to try this one again, run: keelson resume kustomization\/app -n default$/,
    )
    assert.match((await pinnedOf(scene)) ?? '', /^True Undone: revision main@sha1:2 has failed/)
    const told = (await scene.eventsOf(kustomizationRef('app'))).filter(line => line.includes('Undone'))
    assert.deepEqual(told, [
      'Warning Undone 1x: revision main@sha1:2 has failed its health checks: going back to revision main@sha1:1',
    ])

    // A push elsewhere in the repository changes nothing.
    await push('3', { ...revision('2', 'never'), 'elsewhere/x.yaml': configMap('x', '1') })
    await advance(30_000)
    assert.equal((await values()).a, '1')

    await push('4', revision('4'))
    await advance(90_000)
    assert.equal((await values()).a, '4')
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:4')
    assert.equal(await pinnedOf(scene), undefined)
    assert.equal((await scene.read('app'))?.metadata.annotations?.[undo], undefined)
  })
})

test('a build that was healthy before is not undone when it fails later; nor is the first one', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, advance } = scene
    await push('1', revision('1', 'never'))
    await kustomize('app', checked)
    await annotate(scene, byItself)
    await advance(90_000)
    assert.equal((await conditionsOf(scene)).ready?.reason, 'HealthCheckFailed')
    await push('2', revision('2'))
    await advance(90_000)
    await push('3', revision('3'))
    await advance(90_000)
    assert.equal((await conditionsOf(scene)).ready?.status, 'True')
    const { 'child/c.yaml': _, ...withoutChild } = revision('3')
    await push('4', withoutChild)
    await advance(15 * 60_000)
    assert.equal((await conditionsOf(scene)).ready?.reason, 'HealthCheckFailed')
    assert.equal((await scene.read('app'))?.metadata.annotations?.[undo], undefined)
  })
})

test('an undo ends a health check at once', async () => {
  await onStage({}, async scene => {
    await scene.push('1', revision('1'))
    await scene.kustomize('app', { ...checked, timeout: '1h' })
    await scene.advance(30_000)
    const first = await digestOf(scene)
    await scene.push('2', revision('2', 'never'))
    await scene.advance(30_000)
    assert.equal((await scene.values()).a, '2')
    await undoTo(scene, first)
    await scene.advance(60_000)
    assert.equal((await scene.values()).a, '1')
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:1, kept by an undo of jane')
  })
})
