import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { HelmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'
import {
  maxHistoryOf,
  releaseNameOf,
  releaseNamespaceOf,
  storageNamespaceOf,
  timeoutOf,
} from '../../../../lib/reconcile/helm-release/names.ts'

const release = (spec: Partial<HelmRelease['spec']> = {}, name = 'app'): HelmRelease => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name, namespace: 'apps' },
  spec: { interval: '1m', ...spec },
})

test('HR-035 a release is called by its spec, its target namespace and name, or a part of them and a hash', () => {
  assert.equal(releaseNameOf(release()), 'app')
  assert.equal(releaseNameOf(release({ targetNamespace: 'shop' })), 'shop-app')
  assert.equal(releaseNameOf(release({ targetNamespace: 'shop', releaseName: 'own' })), 'own')
  const long = 'a'.repeat(54)
  const hash = createHash('sha256').update(long).digest('hex').slice(0, 12)
  assert.equal(releaseNameOf(release({}, long)), `${'a'.repeat(40)}-${hash}`)
  assert.equal(releaseNameOf(release({}, 'a'.repeat(53))), 'a'.repeat(53))
})

test('HR-036 a release is installed and stored in its own namespace, or where its spec says', () => {
  assert.deepEqual([releaseNamespaceOf(release()), storageNamespaceOf(release())], ['apps', 'apps'])
  const elsewhere = release({ targetNamespace: 'shop', storageNamespace: 'store' })
  assert.deepEqual([releaseNamespaceOf(elsewhere), storageNamespaceOf(elsewhere)], ['shop', 'store'])
})

test('an action has its own timeout, the one of the spec, or five minutes; five versions are kept', () => {
  assert.equal(timeoutOf(release(), 'install'), 300_000)
  assert.equal(timeoutOf(release({ timeout: '1m' }), 'install'), 60_000)
  assert.equal(timeoutOf(release({ timeout: '1m', install: { timeout: '2m' } }), 'install'), 120_000)
  assert.equal(maxHistoryOf(release()), 5)
  assert.equal(maxHistoryOf(release({ maxHistory: 0 })), 0)
})
