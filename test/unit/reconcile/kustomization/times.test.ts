import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import { type Kustomization, timeoutOf } from '../../../../lib/foundations/kinds/kustomization.ts'
import { archive, sourceIgnores } from '../../../../lib/sources/artifact/archive.ts'
import { author, configMap, onStage } from './scene.ts'

const seconds = (spec: object): number => timeoutOf({ spec } as Kustomization) / 1000

test('KS-058 takes the interval less 30 s where no timeout is given, and never less than 30 s', () => {
  assert.deepEqual(
    [seconds({ interval: '10m' }), seconds({ interval: '50s' }), seconds({ interval: '10m', timeout: '2m' })],
    [570, 30, 120],
  )
  assert.equal(seconds({ interval: '10m', timeout: '3s' }), 30)
})

test('KS-051 KS-059 reconciles again after the interval, and corrects drift', async () => {
  await onStage({}, async ({ push, kustomize, advance, values, hub }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { interval: '5m' })
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await hub.patch(ref, { type: 'merge', patch: { data: { value: 'drifted' } } }, author)
    await advance(4 * 60_000)
    assert.deepEqual(await values(), { a: 'drifted' })
    await advance(75_000)
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('KS-057 bounds a pass, build and apply together, by the timeout', async () => {
  const applying = Promise.withResolvers<void>()
  /** A cluster that gives no answer until it is no longer waited for. */
  let isAway = true
  const cluster = (hub: ClusterClient): ClusterClient => ({
    ...hub,
    apply: (object, options) => {
      if (!isAway) return hub.apply(object, options)
      return new Promise((_, reject) => {
        options.signal?.addEventListener('abort', () => {
          isAway = false
          reject(options.signal?.reason)
        })
        applying.resolve()
      })
    },
  })
  await onStage({ cluster }, async ({ push, kustomize, clock, passes, values }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    const kustomized = kustomize('app', { timeout: '1m' })
    await applying.promise
    await clock.advance(61_000)
    await kustomized
    const [first] = passes
    assert.deepEqual([first?.outcome, first?.reason], ['failed', 'ReconciliationFailed'])
    assert.ok(first!.durationMs >= 60_000 && first!.durationMs < 62_000, `${first!.durationMs} ms`)
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('KS-012 applies the files of a Bucket', async () => {
  await onStage({}, async ({ hub, kustomize, platform, values }) => {
    const tree = new Map([['a.yaml', { content: Buffer.from(configMap('a', 'bucket')), executable: false }]])
    const { content, digest } = await archive(tree, sourceIgnores(tree))
    const path = 'bucket/default/files/1.tar.gz'
    const artifact = {
      digest,
      path,
      revision: 'sha256:1',
      url: `http://hub/${path}`,
      lastUpdateTime: '2026-01-01T00:00:00Z',
    }
    await platform.artifacts.put(blobNameOf(artifact), content)
    const bucket = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'Bucket',
      metadata: { name: 'files', namespace: 'default' },
      spec: { bucketName: 'files', endpoint: 'example.com', interval: '10m' },
    }
    await hub.create(bucket, author)
    const ref = { group: 'source.toolkit.fluxcd.io', kind: 'Bucket', namespace: 'default', name: 'files' }
    await hub.patch(ref, { type: 'merge', patch: { status: { artifact } } }, { ...author, subresource: 'status' })
    await kustomize('app', { sourceRef: { kind: 'Bucket', name: 'files' } })
    assert.deepEqual(await values(), { a: 'bucket' })
  })
})
