import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRun, runTable } from '../../../lib/cli/describe-run.ts'
import { timeOf } from '../../../lib/cli/field-terms.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'

test('a time is a time of day, a full time, or a duration before now', () => {
  const now = new Date(2026, 10, 27, 14, 30).getTime()
  const local = (day: number, hours: number, minutes: number) => new Date(2026, 10, day, hours, minutes).getTime()
  assert.equal(timeOf('14:00', now), local(27, 14, 0))
  assert.equal(timeOf('9:05', now), local(27, 9, 5))
  assert.equal(timeOf('15:00', now), local(26, 15, 0), 'the last one that has passed')
  assert.equal(timeOf('2h30m', now), local(27, 12, 0))
  assert.equal(timeOf('2026-11-27T12:00:00Z', now), Date.UTC(2026, 10, 27, 12))
  assert.throws(() => timeOf('noon', now), /'noon' is not a time: expected 14:00/)
})

const run: Run = {
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Run',
  metadata: { name: 'kustomization-app-0mjk1q2w3', namespace: 'apps' },
  unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
  cluster: { kind: 'Secret', namespace: 'apps', name: 'prod' },
  cause: { type: 'Request', user: 'jane', requestedAt: '2026-11-27T14:01:59Z' },
  revision: `main@sha1:${'b'.repeat(40)}`,
  previousRevision: `main@sha1:${'a'.repeat(40)}`,
  phases: [
    { name: 'Build', durationMs: 40 },
    { name: 'Apply', durationMs: 1500 },
  ],
  counts: { configured: 1, unchanged: 12 },
  changes: [
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'app', action: 'configured' },
      origin: 'deploy/app.yaml',
      fields: [
        { path: 'spec.replicas', before: '1', after: '2' },
        { path: 'spec.paused', after: 'true' },
      ],
      moreFields: 3,
    },
  ],
  errors: [{ object: 'Service/default/app', field: 'spec.ports', file: 'deploy/svc.yaml:7', message: 'is invalid' }],
  ...{ result: 'Failed', reason: 'ReconciliationFailed', message: 'Service/default/app\nis invalid\n' },
  ...{ startedAt: '2026-11-27T14:02:00.000Z', finishedAt: '2026-11-27T14:02:01.600Z' },
  ...{ repeats: 2, lastRepeatedAt: '2026-11-27T14:04:00.000Z' },
}

test('an override shows who overrode the windows, and why', () => {
  const override: Run = { ...run, cause: { type: 'Override', user: 'omar', reason: 'the fix of the outage' } }
  assert.match(describeRun(override), /^Cause: {6}Override by omar: the fix of the outage$/m)
  const now = Date.parse('2026-11-27T14:05:00Z')
  const [head, line] = runTable([override], { withNamespace: false, isWide: true, now }).split('\n')
  assert.match(head!, /CLUSTER +WHY +MESSAGE/)
  assert.match(line!, /Override +omar .* the fix of the outage +Service/)
})

test('a run is shown in full', () => {
  assert.equal(
    describeRun(run),
    `Name:       kustomization-app-0mjk1q2w3
Unit:       Kustomization/apps/app
Cluster:    Secret/apps/prod
Cause:      Request by jane (2026-11-27T14:01:59Z)
Revision:   main@sha1:${'b'.repeat(40)}
Before:     main@sha1:${'a'.repeat(40)}
Started:    2026-11-27T14:02:00.000Z
Took:       1.6s (Build 40ms, Apply 1.5s)
Result:     Failed (x3), ReconciliationFailed, last at 2026-11-27T14:04:00.000Z
Message:    Service/default/app
            is invalid

Objects: 1 configured, 12 unchanged
  Deployment/default/app configured (from deploy/app.yaml)
    spec.replicas: 1 -> 2
    spec.paused: (none) -> true
    and 3 more fields

Errors:
  Service/default/app, spec.ports, deploy/svc.yaml:7: is invalid
`,
  )
})

test('runs are a line each', () => {
  const now = Date.parse('2026-11-27T14:07:00Z')
  assert.equal(
    runTable([run], { withNamespace: true, isWide: false, now }),
    `NAMESPACE   NAME                          AGE   UNIT                CAUSE     BY     REVISION             CHANGES   RESULT
apps        kustomization-app-0mjk1q2w3   5m    Kustomization/app   Request   jane   main@sha1:bbbbbbbb   ~1        Failed (x3)
`,
  )
})
