import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAuthenticationFailure, sourceEmpty } from '../../../../lib/reconcile/helm-chart/halts.ts'
import { ChartBuildError } from '../../../../lib/sources/helm/chart-build-error.ts'

const isRefusal = (message: string): boolean =>
  asAuthenticationFailure(new ChartBuildError('ChartPullError', message)) !== undefined

test('a registry that refuses the credentials is distinguished from one with 401 in its port', () => {
  assert.ok(isRefusal('GET http://registry.test/v2/: 401 Unauthorized'))
  assert.ok(isRefusal('unauthorized: authentication required'))
  assert.ok(!isRefusal("failed to get 'oci://127.0.0.1:40117/charts/other:1.0.0': MANIFEST_UNKNOWN"))
})

test('a source without an artifact is waited for: that is no error in the log', () => {
  const { outcome } = sourceEmpty("no artifact available for GitRepository source 'app'", 60_000)
  assert.equal(outcome.type === 'failed' && outcome.isWait, true)
})
