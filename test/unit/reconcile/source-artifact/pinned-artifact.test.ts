import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { RolloutRun } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { createReferences } from '../../../../lib/hub/references/references.ts'
import { composeValues } from '../../../../lib/reconcile/helm-release/compose-values.ts'

const run = {
  kind: 'RolloutRun',
  metadata: { name: 'web-1', namespace: 'apps' },
  spec: {
    rollout: 'web',
    sources: [
      {
        ...{ kind: 'OCIRepository', name: 'app', namespace: 'apps' },
        artifact: { revision: '1', digest: 'sha256:1', path: 'rolloutrun/apps/web-1/a.tar.gz' },
      },
    ],
    inputs: [{ kind: 'ConfigMap', name: 'kept', digest: 'sha256:2', data: { 'values.yaml': 'color: kept' } }],
  },
} as unknown as RolloutRun

const references = createReferences({
  get: (async ({ kind, name }: { kind: string; name: string }) =>
    kind === 'ConfigMap' ? { data: { 'values.yaml': `${name}: today` } } : run) as never,
  list: undefined as never,
  referrers: undefined as never,
})

const release = (pin?: string): HelmRelease =>
  ({
    kind: 'HelmRelease',
    metadata: { name: 'app', namespace: 'apps', ...(pin && { annotations: { 'keelson.dev/pin': pin } }) },
    spec: {
      chartRef: { kind: 'OCIRepository', name: 'app' },
      valuesFrom: [
        { kind: 'ConfigMap', name: 'kept' },
        { kind: 'ConfigMap', name: 'other' },
      ],
    },
  }) as unknown as HelmRelease

test('RO-03 a release takes the values that the run of its pin keeps, and others as they are', async () => {
  const valuesOf = async (of: HelmRelease) =>
    Object.fromEntries((await composeValues(of, references)) as Map<string, unknown>)
  assert.deepEqual(await valuesOf(release('apps/web-1@2026-01-01T00:00:00Z')), { color: 'kept', other: 'today' })
  assert.deepEqual(await valuesOf(release()), { kept: 'today', other: 'today' })
})
