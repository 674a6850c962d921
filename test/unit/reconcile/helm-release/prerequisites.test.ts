import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ArtifactStore } from '../../../../lib/platform/ports/artifacts.ts'
import { shown } from '../world.ts'
import { onStage } from './scene.ts'

const ofApp = { chartRef: { kind: 'HelmChart', name: 'app' } } as const

test('HR-158 a chart that several releases use is read once, and again when there is another', () => {
  const reads: string[] = []
  const counting = (artifacts: ArtifactStore): ArtifactStore => ({
    ...artifacts,
    get: name => {
      reads.push(name)
      return artifacts.get(name)
    },
  })
  return onStage(
    { through: platform => ({ ...platform, artifacts: counting(platform.artifacts) }) },
    async ({ publish, release, read }) => {
      await publish('1.0.0')
      for (const name of ['one', 'two', 'three']) await release(name, ofApp)
      for (const name of ['one', 'two', 'three'])
        assert.match(shown(await read(name)).join('\n'), /Ready=True InstallSucceeded/)
      assert.equal(reads.length, 1)
      await publish('1.1.0')
      for (const name of ['one', 'two', 'three'])
        assert.match(shown(await read(name)).join('\n'), /Ready=True UpgradeSucceeded/)
      assert.equal(reads.length, 2)
    },
  )
})

test('HR-008 a chart whose source is in another namespace is refused where that is not allowed, with an event', () =>
  onStage({ settings: { noCrossNamespaceRefs: true } }, async ({ release, read, eventsOf }) => {
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'other' } as const
    await release('app', { chart: { spec: { chart: 'app', sourceRef } } })
    const why = "can't access 'HelmChart/other/default-app', cross-namespace references have been blocked"
    const found = await read('app')
    assert.deepEqual(shown(found).toSorted(), [`Ready=False AccessDenied: ${why}`, `Stalled=True AccessDenied: ${why}`])
    const ref = { group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease', namespace: 'default', name: 'app' }
    assert.deepEqual(await eventsOf(ref), [`Warning AccessDenied 1x: ${why}`])
  }))
