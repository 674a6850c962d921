import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation, requestedByAnnotation } from '../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { requesterOf } from '../../../lib/reconcile/source-artifact/requester.ts'

const source = (requestedAt: string | undefined, lastUpdateTime: string | undefined): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: {
    name: 'app',
    annotations: { [requestedByAnnotation]: 'jane', ...(requestedAt && { [requestedAtAnnotation]: requestedAt }) },
  },
  status: { ...(lastUpdateTime && { artifact: { lastUpdateTime } }) },
})

test('an artifact that comes soon after a request is the work of who made it, any other is not', () => {
  const at = '2026-11-27T14:02:00.123456789Z'
  assert.equal(requesterOf(source(at, '2026-11-27T14:02:00Z')), 'jane')
  assert.equal(requesterOf(source(at, '2026-11-27T14:03:59Z')), 'jane')
  assert.equal(requesterOf(source(at, '2026-11-27T14:10:00Z')), undefined)
  assert.equal(requesterOf(source(at, '2026-11-27T13:00:00Z')), undefined)
  assert.equal(requesterOf(source('now', '2026-11-27T14:02:00Z')), undefined)
  assert.equal(requesterOf(source(undefined, '2026-11-27T14:02:00Z')), undefined)
  assert.equal(requesterOf(source(at, undefined)), undefined)
})
