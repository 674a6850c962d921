import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionName } from '../../../../lib/reconcile/helm-release/decide.ts'
import { heldByWindows } from '../../../../lib/reconcile/helm-release/held-by-windows.ts'
import type { Work } from '../../../../lib/reconcile/helm-release/work.ts'
import type { Restraint } from '../../../../lib/reconcile/windows/restraint.ts'

const now = Date.UTC(2026, 0, 1)
const hold = { reason: 'OutsideWindow', why: 'in a freeze', until: now + 3_600_000 } as const

const held = (action: ActionName, holds: Restraint['holds']): unknown => {
  const metadata = { name: 'app', namespace: 'apps' }
  const release = { kind: 'HelmRelease', metadata, spec: { interval: '10m' } }
  const attempt = { chartName: 'web', chartVersion: '1.2.3' }
  const work = { draft: { release }, pass: { event: () => {} }, now: () => now, attempt, restraint: { holds } }
  const outcome = heldByWindows(work as unknown as Work, action)
  return typeof outcome === 'object' ? outcome.message : outcome
}

test('what begins a change waits, and what belongs to one that has begun does not', () => {
  const message = (action: string) => `${action} with chart web@1.2.3 waits until 2026-01-01T01:00:00Z: in a freeze`
  for (const action of ['install', 'upgrade', 'undo', 'unlock'] as const)
    assert.equal(held(action, { Changes: hold }), message(action))
  for (const action of ['rollback', 'uninstall', 'test', 'correct cluster drift'] as const)
    assert.equal(held(action, { Changes: hold, Deletions: hold }), undefined)
})

test('drift is reported while its correction is held back', () => {
  assert.equal(held('correct cluster drift', { DriftCorrection: hold }), 'reported')
  assert.equal(held('upgrade', { DriftCorrection: hold, Deletions: hold }), undefined)
})
