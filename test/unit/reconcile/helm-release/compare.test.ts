import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { compareHelmRelease } from '../../../../lib/reconcile/helm-release/compare.ts'
import { defaultHelmReleaseSettings } from '../../../../lib/reconcile/helm-release/settings.ts'
import { dryRunPass } from '../../../../lib/reconcile/runtime/dry-run-pass.ts'
import { unsharedReads } from '../../../../lib/reconcile/runtime/shared-reads.ts'
import { hubAsCluster } from '../world.ts'
import { onStage, releaseRef, type Scene } from './scene.ts'

const compare = async ({ ports, platform, read }: Scene) => {
  const cluster = hubAsCluster(ports)
  const { signal } = new AbortController()
  const pass = { signal, startedAt: 0, dryRun: unsharedReads(signal), confine: async (one: ClusterClient) => one }
  return compareHelmRelease((await read('app'))!, dryRunPass(pass), {
    ...{ ...platform, references: ports.references, hubCluster: () => cluster, settings: defaultHelmReleaseSettings },
    clusters: { fromKubeconfig: () => cluster, fromConfigMap: async () => cluster },
  })
}

const change = (scene: Scene, patch: object) =>
  scene.hub.patch(
    { group: '', kind: 'ConfigMap', namespace: 'default', name: 'app' },
    { type: 'merge', patch },
    { fieldManager: 'jane' },
  )

test('a release is compared with its newest version, though it does not detect drift; ignored fields and objects are not', async () => {
  await onStage({}, async scene => {
    await scene.publish('1.0.0')
    await scene.release('app')
    const same = await compare(scene)
    assert.deepEqual([same?.revision, same?.counts], ['app.v1 with chart app@1.0.0', { unchanged: 2 }])
    await change(scene, { data: { greeting: 'by hand' } })
    await scene.hub.delete({ group: '', kind: 'ServiceAccount', namespace: 'default', name: 'app' }, {})
    const found = await compare(scene)
    assert.deepEqual(found?.counts, { created: 1, configured: 1 })
    assert.deepEqual(
      found.changes.map(({ kind, action, fields }) => [
        kind,
        action,
        fields?.map(({ changedAt: _, ...field }) => field),
      ]),
      [
        ['ServiceAccount', 'created', undefined],
        ['ConfigMap', 'configured', [{ path: 'data.greeting', before: 'by hand', after: 'hello', manager: 'jane' }]],
      ],
    )
    const ignore = [{ paths: ['/data/greeting'] }]
    await scene.hub.patch(
      releaseRef('app'),
      { type: 'merge', patch: { spec: { driftDetection: { ignore } } } },
      { fieldManager: 'jane' },
    )
    assert.deepEqual((await compare(scene))?.counts, { created: 1, unchanged: 1 })
  })
})

test('of a release that takes values from a Secret no values are shown', async () => {
  await onStage({}, async scene => {
    const values = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'values', namespace: 'default' } }
    await scene.hub.create(
      { ...values, stringData: { 'values.yaml': 'greeting: planted-greeting' } },
      { fieldManager: 'jane' },
    )
    await scene.publish('1.0.0')
    const chartRef = { kind: 'HelmChart', name: 'app' } as const
    await scene.release('app', { chartRef, valuesFrom: [{ kind: 'Secret', name: 'values' }] })
    await change(scene, { data: { greeting: 'by hand' } })
    const found = await compare(scene)
    assert.deepEqual(
      found?.changes.map(({ fields }) => fields?.map(({ path, before, after }) => `${path}: ${before} -> ${after}`)),
      [['data.greeting: *** -> ***']],
    )
    assert.ok(!JSON.stringify(found).includes('planted-greeting'))
  })
})

test('without a release on the cluster nothing is compared', async () => {
  await onStage({}, async scene => {
    await scene.release('app')
    await assert.rejects(compare(scene), /Helm has no release of it on the cluster/)
  })
})
