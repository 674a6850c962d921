import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, onStage, releaseRef } from './scene.ts'

test('a release that names another in keelson.dev/depends-on follows it to each version, by a message', async () => {
  await onStage({}, async scene => {
    const { hub, settle, read, publish, release, clock } = scene
    const suspend = async (isSuspended: boolean) => {
      await hub.patch(releaseRef('app'), { type: 'merge', patch: { spec: { suspend: isSuspended } } }, author)
      await settle()
    }
    const versionOf = async (name: string) => (await read(name))?.status?.history?.[0]?.chartVersion
    const waits = async () => conditionOf((await read('alpha'))?.status?.conditions, 'Waiting')?.message
    await publish('1.0.0')
    await release('app')
    await release('alpha')
    const annotations = { 'keelson.dev/depends-on': 'HelmRelease/app' }
    await hub.patch(releaseRef('alpha'), { type: 'merge', patch: { metadata: { annotations } } }, author)
    await suspend(true)
    await publish('2.0.0')
    assert.deepEqual([await versionOf('app'), await versionOf('alpha')], ['1.0.0', '1.0.0'])
    assert.equal(await waits(), 'everything waits: dependency HelmRelease/default/app has not applied revision 2.0.0')
    const before = clock.now()
    await suspend(false)
    assert.deepEqual([await versionOf('app'), await versionOf('alpha')], ['2.0.0', '2.0.0'])
    assert.equal(await waits(), undefined)
    await publish('3.0.0')
    assert.deepEqual([await versionOf('app'), await versionOf('alpha')], ['3.0.0', '3.0.0'])
    assert.ok(clock.now() - before < 60_000, 'no interval has passed')
  })
})
