import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactedError, redactedEvent, redactedStatus, redaction } from '../../../../lib/reconcile/runtime/redaction.ts'
import type { ReconciledStatus } from '../../../../lib/reconcile/runtime/transitions.ts'

const unit = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'web-prod', namespace: 'default' },
  spec: { path: './overlays/live' },
}

const notes = (...values: readonly string[]) => ({
  all: () => ({ phases: [], changes: [], ...(values.length > 0 && { secrets: () => values }) }),
})

const redact = (text: string) => text.replaceAll('planted', '***')

test('what the spec of a unit and the names of its objects show is no secret, everything else of a Secret is', () => {
  const values = notes('planted', 'web-prod', 'overlays', 'frontend')
  const metadata = { name: 'frontend', namespace: 'default' }
  const applying = {
    all: () => ({ ...values.all(), objects: () => [{ apiVersion: 'v1', kind: 'Service', metadata }] }),
  }
  const text = 'web-prod: Service/default/frontend of overlays: planted'
  assert.equal(redaction(unit, applying)(text), 'web-prod: Service/default/frontend of overlays: ***')
  assert.equal(redaction(unit, values)(text), 'web-prod: Service/default/*** of overlays: ***')
  assert.equal(redaction(unit, notes())(text), text)
})

test('conditions that report a failure are redacted, those that report success stay', () => {
  const condition = (type: string, status: 'True' | 'False') => ({
    ...{ type, status, reason: 'R', message: 'planted', lastTransitionTime: '2026-01-01T00:00:00Z' },
  })
  const conditions = [
    condition('Ready', 'False'),
    condition('Stalled', 'True'),
    condition('Reconciling', 'True'),
    condition('Released', 'True'),
  ]
  const after: ReconciledStatus = { conditions, lastAppliedRevision: 'planted' }
  const redacted = redactedStatus({}, after, redact)
  assert.deepEqual(
    redacted.conditions?.map(({ type, message }) => `${type} ${message}`),
    ['Ready ***', 'Stalled ***', 'Reconciling ***', 'Released planted'],
  )
  assert.equal(redacted.lastAppliedRevision, 'planted')
  assert.equal(redactedStatus(after, after, redact), after)
})

test('events of failures are redacted', () => {
  const event = { severity: 'error', reason: 'R', message: 'planted' } as const
  assert.deepEqual(redactedEvent(event, redact), { ...event, message: '***' })
  assert.deepEqual(redactedEvent({ ...event, severity: 'info' }, redact), { ...event, severity: 'info' })
})

test('an error is redacted with its causes; one that quotes nothing stays itself, with its class and stack', () => {
  const quoting = new TypeError('outer', { cause: new Error('in planted', { cause: 'planted' }) })
  const redacted = redactedError(quoting, redact) as Error
  const cause = redacted.cause as Error
  assert.deepEqual([redacted.message, cause.message, cause.cause], ['outer', 'in ***', '***'])
  const other = new TypeError('outer', { cause: new Error('inner') })
  assert.equal(redactedError(other, redact), other)
  assert.equal(redactedError(undefined, redact), undefined)
})
