import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Snapshot } from '../../../../lib/foundations/kinds/kustomization.ts'
import { withAttempt } from '../../../../lib/foundations/rules/history.ts'

const start = Date.UTC(2026, 0, 1)
const attempt = (digest: string, minute: number, status = 'ReconciliationSucceeded') => ({
  digest,
  status,
  endedAt: start + minute * 60_000,
  durationMs: 1234.5,
  metadata: { revision: `main@sha1:${minute}` },
})
const after = (...attempts: readonly ReturnType<typeof attempt>[]) =>
  attempts.reduce<readonly Snapshot[]>(withAttempt, [])

test('KS-324 counts up what was built and ended alike, and puts it first', () => {
  assert.deepEqual(after(attempt('sha256:a', 0), attempt('sha256:b', 1), attempt('sha256:a', 2)), [
    {
      digest: 'sha256:a',
      firstReconciled: '2026-01-01T00:00:00Z',
      lastReconciled: '2026-01-01T00:02:00Z',
      lastReconciledDuration: '1.2345s',
      lastReconciledStatus: 'ReconciliationSucceeded',
      totalReconciliations: 2,
      metadata: { revision: 'main@sha1:2' },
    },
    {
      digest: 'sha256:b',
      firstReconciled: '2026-01-01T00:01:00Z',
      lastReconciled: '2026-01-01T00:01:00Z',
      lastReconciledDuration: '1.2345s',
      lastReconciledStatus: 'ReconciliationSucceeded',
      totalReconciliations: 1,
      metadata: { revision: 'main@sha1:1' },
    },
  ])
})

test('KS-324 keeps another ending of the same build apart, and five entries in all', () => {
  const attempts = [0, 1, 2, 3, 4, 5].map(minute => attempt(`sha256:${minute}`, minute))
  const history = after(...attempts, attempt('sha256:5', 6, 'PruneFailed'))
  assert.deepEqual(
    history.map(({ digest, lastReconciledStatus }) => `${digest} ${lastReconciledStatus}`),
    [
      'sha256:5 PruneFailed',
      'sha256:5 ReconciliationSucceeded',
      'sha256:4 ReconciliationSucceeded',
      'sha256:3 ReconciliationSucceeded',
      'sha256:2 ReconciliationSucceeded',
    ],
  )
})
