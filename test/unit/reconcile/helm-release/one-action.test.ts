import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { initialProgress } from '../../../../lib/clusters/helm-release/progress.ts'
import { releaseStorage } from '../../../../lib/clusters/helm-release/storage.ts'
import type { Release } from '../../../../lib/engines/helm/release/release.ts'
import { shown } from '../world.ts'
import { onStage } from './scene.ts'

const pending: Release = {
  name: 'app',
  namespace: 'default',
  version: 1,
  info: { status: 'pending-install', description: 'Initial install underway', last_deployed: '2026-01-01T00:00:00Z' },
  chart: { metadata: { name: 'app', version: '1.0.0' } } as Release['chart'],
  manifest: '',
  hooks: [],
}

test('HR-155 HR-156 an action that another HelmRelease has begun on the same release is left its time, then it counts as dead', () => {
  let cluster: ClusterClient | undefined
  return onStage({ cluster: hub => (cluster = hub) }, async ({ publish, release, read, advance, clock }) => {
    const storage = releaseStorage(cluster!, 'default', clock)
    await storage.create(pending, initialProgress('install', { token: 'another' }, clock.now()))
    await publish('1.0.0')
    await release('app', { chartRef: { kind: 'HelmChart', name: 'app' }, timeout: '4m' })
    const why = 'another HelmRelease works on it: another operation (install/upgrade/rollback) is in progress'
    assert.match(
      shown(await read('app')).join('\n'),
      new RegExp(`Ready=False StateError: Could not determine release state: ${why.replace(/[()]/g, '\\$&')}`),
    )
    assert.deepEqual(
      (await storage.history('app')).map(({ release: { version, info } }) => `${version} ${info.status}`),
      ['1 pending-install'],
    )
    await advance(10 * 60_000)
    assert.match(shown(await read('app')).join('\n'), /Ready=True UpgradeSucceeded/)
    assert.deepEqual(
      (await storage.history('app')).map(({ release: { version, info } }) => `${version} ${info.status}`),
      ['2 deployed', '1 superseded'],
    )
  })
})
