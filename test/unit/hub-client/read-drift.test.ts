import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { driftModeOf } from '../../../lib/hub-client/read-drift.ts'

const unit = (kind: string, { annotations = {}, spec = {} } = {}): KubernetesObject =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'b', annotations }, spec }) as KubernetesObject

test('a Kustomization corrects drift unless it is told to report, a HelmRelease ignores it unless it is told to look', () => {
  const report = { 'kustomize.keelson.dev/drift': 'report' }
  const cases = [
    [unit('Kustomization'), 'corrected'],
    [unit('Kustomization', { annotations: report }), 'reported'],
    [unit('Kustomization', { annotations: { 'kustomize.keelson.dev/drift': 'other' } }), 'corrected'],
    [unit('ResourceSet', { annotations: report }), 'corrected'],
    [unit('HelmRelease', { annotations: report }), 'ignored'],
    [unit('HelmRelease', { spec: { driftDetection: { mode: 'enabled' } } }), 'corrected'],
    [unit('HelmRelease', { spec: { driftDetection: { mode: 'warn' } } }), 'reported'],
    [unit('HelmRelease', { spec: { driftDetection: { mode: 'disabled' } } }), 'ignored'],
  ] as const
  for (const [given, expected] of cases) assert.equal(driftModeOf(given), expected)
})
