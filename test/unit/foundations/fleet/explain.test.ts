import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../../../lib/foundations/fleet/explain.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const next = async (kind: string, status: 'True' | 'False', spec: object = {}) => {
  const conditions = [{ type: 'Ready', status, reason: 'Any', message: '', lastTransitionTime: '2026-11-28T00:00:00Z' }]
  const object = {
    apiVersion: 'any/v1',
    kind,
    metadata: { name: 'web', namespace: 'apps' },
    spec,
    status: { conditions },
  }
  const { details } = await explain(object as unknown as KubernetesObject, { now: 0, read: async () => undefined })
  return details.find(([name]) => name === 'next')?.slice(1)
}

test('what happens next, and the command that hastens it: of flux for the kinds that it knows', async () => {
  assert.deepEqual(await next('GitRepository', 'True', { interval: '1h' }), [
    'reconciled every 1h',
    'at once by: flux reconcile source git web -n apps',
  ])
  assert.deepEqual(await next('Kustomization', 'False', { retryInterval: '5m' }), [
    'retried every 5m',
    'at once by: flux reconcile kustomization web -n apps',
  ])
  assert.deepEqual(await next('HelmRelease', 'True', { suspend: true }), [
    'nothing, until it is resumed',
    'to resume: flux resume helmrelease web -n apps',
  ])
})

test('for other kinds the command is of kubectl or of keelson', async () => {
  assert.deepEqual(await next('Cluster', 'True', { interval: '5m' }), [
    'reconciled every 5m',
    'at once by: kubectl annotate --overwrite cluster web -n apps reconcile.fluxcd.io/requestedAt="$(date +%s)"',
  ])
  assert.deepEqual(await next('Cluster', 'True', { suspend: true }), [
    'nothing, until it is resumed',
    'to resume: keelson resume cluster/web -n apps',
  ])
})

test('a Cluster: who answers where, until when the credential is valid, and whether its units fail without a request', async () => {
  const now = Date.parse('2026-11-28T12:00:00Z')
  const details = async (status: object) => {
    const object = {
      ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster' },
      ...{ metadata: { name: 'prod', namespace: 'apps' }, spec: { interval: '5m' }, status },
    } as unknown as KubernetesObject
    const names = ['server', 'version', 'contact', 'credential', 'breaker']
    const explained = await explain(object, { now, read: async () => undefined })
    return explained.details.filter(([name]) => names.includes(name))
  }
  assert.deepEqual(
    await details({
      ...{ server: 'https://10.0.0.1:6443', kubernetesVersion: 'v1.36.2', latency: '12ms' },
      lastContactTime: '2026-11-28T11:00:00Z',
      credential: { type: 'ClientCertificate', validUntil: '2026-12-01T12:00:00Z' },
    }),
    [
      ['server', 'https://10.0.0.1:6443'],
      ['version', 'v1.36.2, responds in 12ms'],
      ['contact', 'last 60m ago (2026-11-28T11:00:00Z)'],
      ['credential', 'ClientCertificate, valid for 3d more (until 2026-12-01T12:00:00Z)'],
    ],
  )
  const expired = { type: 'CredentialsValid', status: 'False', reason: 'Expired', message: 'the token has expired' }
  assert.deepEqual(
    await details({
      credential: { type: 'Token', validUntil: '2026-11-28T10:00:00Z' },
      conditions: [{ ...expired, lastTransitionTime: '2026-11-28T10:00:00Z' }],
      breaker: { state: 'Open', since: '2026-11-28T11:50:00Z' },
    }),
    [
      ['credential', 'Token, expired 120m ago (2026-11-28T10:00:00Z)'],
      ['credential', 'Expired: the token has expired'],
      ['breaker', 'open since 10m (2026-11-28T11:50:00Z): units fail without a request'],
    ],
  )
})

test('images: what was scanned, chosen and pushed, and the repository that a policy waits for', async () => {
  const now = Date.parse('2026-11-28T12:00:00Z')
  const ofImages = (kind: string, ready: 'True' | 'False', spec: object, status: object) =>
    ({
      ...{ apiVersion: 'image.toolkit.fluxcd.io/v1', kind, metadata: { name: 'app', namespace: 'apps' }, spec },
      status: { conditions: [{ type: 'Ready', status: ready, reason: 'Any', message: `is ${ready}` }], ...status },
    }) as unknown as KubernetesObject
  const repository = (ready: 'True' | 'False') =>
    ofImages('ImageRepository', ready, {}, { lastScanResult: { scanTime: '2026-11-28T11:00:00Z', tagCount: 24 } })
  const details = async (object: KubernetesObject, read = repository('True')) =>
    (await explain(object, { now, read: async () => read })).details
      .filter(([name]) => ['scanned', 'image', 'pushed', 'because of'].includes(name))
      .map(([name, text]) => `${name}: ${text}`)
  assert.deepEqual(await details(repository('True')), ['scanned: 60m ago (2026-11-28T11:00:00Z), 24 tags'])
  const spec = { imageRepositoryRef: { name: 'app' } }
  const chosen = { latestRef: { name: 'ghcr.io/a', tag: '2' }, observedPreviousRef: { name: 'ghcr.io/a', tag: '1' } }
  assert.deepEqual(await details(ofImages('ImagePolicy', 'True', spec, chosen)), [
    'image: ghcr.io/a:2, before it ghcr.io/a:1',
  ])
  assert.deepEqual(await details(ofImages('ImagePolicy', 'False', spec, {}), repository('False')), [
    'because of: ImageRepository/apps/app, which is failing, and is retried: Any: is False',
  ])
  const pushed = { lastPushCommit: 'abc', lastPushTime: '2026-11-28T11:59:00Z' }
  assert.deepEqual(await details(ofImages('ImageUpdateAutomation', 'True', {}, pushed)), [
    'pushed: abc, 60s ago (2026-11-28T11:59:00Z)',
  ])
})
