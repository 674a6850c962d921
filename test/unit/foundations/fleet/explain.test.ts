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
