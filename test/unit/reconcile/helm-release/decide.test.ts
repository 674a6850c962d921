import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease, HelmReleaseStatus, ReleaseSnapshot } from '../../../../lib/foundations/kinds/helm-release.ts'
import { type Circumstances, type Decision, decide } from '../../../../lib/reconcile/helm-release/decide.ts'
import { releaseState, type StoredVersion, type Wanted } from '../../../../lib/reconcile/helm-release/release-state.ts'

const snapshot = (version: number, fields: Partial<ReleaseSnapshot> = {}): ReleaseSnapshot => ({
  ...{ apiVersion: 'v2', digest: `sha256:${version}`, name: 'app', namespace: 'apps', version, status: 'superseded' },
  ...{ chartName: 'app', chartVersion: '1.0.0', configDigest: 'sha256:values' },
  ...{ firstDeployed: '2026-01-01T00:00:00Z', lastDeployed: '2026-01-01T00:00:00Z' },
  ...fields,
})

const release = (spec: Partial<HelmRelease['spec']> = {}): HelmRelease => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: 'app', namespace: 'apps', generation: 2 },
  spec: { interval: '1m', ...spec },
})

const wanted: Wanted = {
  chartName: 'app',
  chartVersion: '1.0.0',
  configDigest: 'sha256:values',
  postRenderersDigest: '',
  commonMetadataDigest: '',
}
const stored: StoredVersion = { status: 'deployed', chartName: 'app', chartVersion: '1.0.0', digest: 'sha256:1' }
const known: HelmReleaseStatus = {
  history: [snapshot(1, { status: 'deployed' })],
  lastAttemptedReleaseAction: 'install',
}

interface StateCase {
  readonly state: string
  readonly when: string
  readonly spec?: Partial<HelmRelease['spec']>
  readonly status?: HelmReleaseStatus
  readonly stored?: StoredVersion | undefined
  readonly wanted?: Partial<Wanted>
}

const states: readonly StateCase[] = [
  { state: 'Absent', when: 'nothing is stored (HR-043)', stored: undefined },
  {
    state: 'Absent',
    when: 'it was uninstalled and is not known',
    status: {},
    stored: { ...stored, status: 'uninstalled' },
  },
  { state: 'Absent', when: 'it was uninstalled', stored: { ...stored, status: 'uninstalled' } },
  { state: 'Locked', when: 'an installation is pending', stored: { ...stored, status: 'pending-install' } },
  { state: 'Locked', when: 'a rollback is pending', status: {}, stored: { ...stored, status: 'pending-rollback' } },
  { state: 'Unmanaged', when: 'there is no history', status: {} },
  { state: 'Unmanaged', when: 'what is stored is not what was recorded', stored: { ...stored, digest: 'sha256:2' } },
  {
    state: 'InSync',
    when: 'the snapshot is of an older form, whatever its digest',
    status: { history: [snapshot(1, { apiVersion: 'v1', digest: 'sha256:old' })] },
  },
  { state: 'Failed', when: 'it has failed', stored: { ...stored, status: 'failed' } },
  { state: 'OutOfSync', when: 'another version of the chart is wanted (HR-044)', wanted: { chartVersion: '1.1.0' } },
  { state: 'OutOfSync', when: 'another chart is wanted', wanted: { chartName: 'other' } },
  { state: 'OutOfSync', when: 'other values are wanted', wanted: { configDigest: 'sha256:other' } },
  { state: 'OutOfSync', when: 'post-renderers are new (HR-045)', wanted: { postRenderersDigest: 'sha256:p' } },
  { state: 'OutOfSync', when: 'common metadata are new', wanted: { commonMetadataDigest: 'sha256:c' } },
  {
    state: 'InSync',
    when: 'post-renderers differ, but the generation was observed',
    status: { ...known, observedGeneration: 2 },
    wanted: { postRenderersDigest: 'sha256:p' },
  },
  { state: 'Untested', when: 'tests are wanted and were not run (HR-046)', spec: { test: { enable: true } } },
  {
    state: 'InSync',
    when: 'there are no tests to run (HR-078)',
    spec: { test: { enable: true } },
    status: { ...known, history: [snapshot(1, { testHooks: {} })] },
  },
  {
    state: 'Failed',
    when: 'a test has failed',
    spec: { test: { enable: true } },
    status: { ...known, history: [snapshot(1, { testHooks: { t: { phase: 'Failed' } } })] },
  },
  {
    state: 'InSync',
    when: 'a failed test is to be ignored',
    spec: { test: { enable: true, ignoreFailures: true } },
    status: { ...known, history: [snapshot(1, { testHooks: { t: { phase: 'Failed' } } })] },
  },
  { state: 'InSync', when: 'all is as wanted' },
]

for (const { state, when, spec, status = known, wanted: other, ...given } of states)
  test(`${state} when ${when}`, () => {
    const last = 'stored' in given ? given.stored : stored
    assert.equal(releaseState(release(spec), status, last, { ...wanted, ...other }), state)
  })

test('an empty status is an error (HR-043)', () => {
  assert.throws(
    () => releaseState(release(), known, { ...stored, status: 'unknown' }, wanted),
    /unable to determine state for release with status 'unknown'/,
  )
})

const calm: Circumstances = { state: 'InSync', isForced: false, retriesByDefault: false, target: 'intact' }
const summary = (decision: Decision): string => (decision.type === 'act' ? decision.action : decision.type)

interface DecisionCase {
  readonly does: string
  readonly when: string
  readonly at: Partial<Circumstances>
  readonly spec?: Partial<HelmRelease['spec']>
  readonly status?: HelmReleaseStatus
}

const two = [snapshot(2, { status: 'failed' }), snapshot(1)]
const upgradeFailed: HelmReleaseStatus = { history: two, lastAttemptedReleaseAction: 'upgrade', upgradeFailures: 1 }
const retried = { upgrade: { remediation: { retries: 2 } } }

const decisions: readonly DecisionCase[] = [
  { does: 'install', when: 'absent (HR-048)', at: { state: 'Absent' }, status: {} },
  {
    does: 'retries exceeded',
    when: 'absent, and no retry is left',
    at: { state: 'Absent' },
    status: { installFailures: 1 },
  },
  {
    does: 'install',
    when: 'that, but forced (HR-109)',
    at: { state: 'Absent', isForced: true },
    status: { installFailures: 1 },
  },
  { does: 'upgrade', when: 'unmanaged', at: { state: 'Unmanaged' } },
  { does: 'unlock', when: 'locked', at: { state: 'Locked' } },
  { does: 'upgrade', when: 'out of sync', at: { state: 'OutOfSync' } },
  { does: 'retries exceeded', when: 'out of sync without retries', at: { state: 'OutOfSync' }, status: upgradeFailed },
  { does: 'test', when: 'untested', at: { state: 'Untested' } },
  { does: 'stop', when: 'in sync', at: {} },
  { does: 'upgrade', when: 'in sync, but forced', at: { isForced: true } },
  { does: 'stop', when: 'drifted, to warn', at: { state: 'Drifted' }, spec: { driftDetection: { mode: 'warn' } } },
  {
    does: 'correct cluster drift',
    when: 'drifted',
    at: { state: 'Drifted' },
    spec: { driftDetection: { mode: 'enabled' } },
  },
  { does: 'retries exceeded', when: 'failed without retries (HR-071)', at: { state: 'Failed' }, status: upgradeFailed },
  {
    does: 'rollback',
    when: 'an upgrade has failed (HR-070)',
    at: { state: 'Failed' },
    spec: retried,
    status: upgradeFailed,
  },
  {
    does: 'upgrade',
    when: 'the version to go back to is another by now',
    at: { state: 'Failed', target: 'altered' },
    spec: retried,
    status: upgradeFailed,
  },
  {
    does: 'missing rollback target',
    when: 'there is no version to go back to',
    at: { state: 'Failed', target: 'none' },
    spec: retried,
    status: { ...upgradeFailed, history: [two[0]!] },
  },
  {
    does: 'uninstall',
    when: 'that is the remediation of an upgrade (HR-063)',
    at: { state: 'Failed' },
    spec: { upgrade: { remediation: { retries: 2, strategy: 'uninstall' } } },
    status: upgradeFailed,
  },
  {
    does: 'uninstall',
    when: 'an installation has failed (HR-057)',
    at: { state: 'Failed' },
    spec: { install: { remediation: { retries: 1 } } },
    status: { history: [two[0]!], lastAttemptedReleaseAction: 'install', installFailures: 1 },
  },
  {
    does: 'upgrade',
    when: 'something has changed since the failure (HR-053)',
    at: { state: 'Failed' },
    spec: retried,
    status: { ...upgradeFailed, upgradeFailures: 0 },
  },
  {
    does: 'upgrade',
    when: 'failures are retried (HR-059)',
    at: { state: 'Failed' },
    spec: { upgrade: { strategy: { name: 'RetryOnFailure' } } },
    status: upgradeFailed,
  },
  {
    does: 'upgrade',
    when: 'they are by default (HR-058)',
    at: { state: 'Failed', retriesByDefault: true },
    status: upgradeFailed,
  },
]

for (const { does, when, at, spec, status = known } of decisions)
  test(`${does}: ${when}`, () => {
    assert.equal(summary(decide(release(spec), status, { ...calm, ...at })), does)
  })

test('the last failure of an upgrade is remediated where there were retries (HR-064)', () => {
  const status = { ...upgradeFailed, upgradeFailures: 3 }
  assert.equal(summary(decide(release(retried), status, { ...calm, state: 'Failed' })), 'rollback')
  const spec = { upgrade: { remediation: { retries: 2, remediateLastFailure: false } } }
  assert.equal(summary(decide(release(spec), status, { ...calm, state: 'Failed' })), 'retries exceeded')
})

test('a release in sync keeps the version to roll back to, and forgets older ones (HR-054)', () => {
  const history = [snapshot(4, { status: 'deployed' }), snapshot(3, { status: 'failed' }), snapshot(2), snapshot(1)]
  const decision = decide(release(), { ...known, history }, calm)
  assert.deepEqual(decision.type === 'stop' && decision.history?.map(({ version }) => version), [4, 3, 2])
})
