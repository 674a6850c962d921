import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetReach, fleetSentence, heldUp, revisionText, span, timeText } from '../../../lib/console/model/phrases.ts'
import { runsByHour } from '../../../lib/console/model/run-hours.ts'
import { shownFrom, stateOfCause } from '../../../lib/console/model/shown-state.ts'
import type { CauseSummary, FleetSummary } from '../../../lib/foundations/fleet/fleet-summary.ts'

const cause = (fields: Partial<CauseSummary> = {}): CauseSummary => ({
  ...{ severity: 'error', object: 'Kustomization/apps/web', reason: 'BuildFailed', message: 'no' },
  clusters: { total: 1, names: ['Cluster/apps/a'] },
  units: { total: 1, names: ['Kustomization/apps/web'] },
  ...fields,
})

const fleet = (fields: Partial<FleetSummary> = {}): FleetSummary => ({
  clusters: { total: 48, ready: 48, unreachable: 0, failing: 0 },
  units: { total: 2041, ready: 2041, progressing: 0, failed: 0, stalled: 0, suspended: 0 },
  ...{ causes: [], moreCauses: 0, rows: [], labels: [] },
  ...fields,
})

test('the first line counts what fails, and for how many reasons', () => {
  const units = { total: 2041, ready: 2027, progressing: 0, failed: 13, stalled: 1, suspended: 0 }
  const causes = [cause(), cause({ object: 'Cluster/apps/b' }), cause({ severity: 'warning' })]
  assert.equal(fleetSentence(fleet({ units, causes })), '14 of 2,041 units are failing, for 2 reasons')
  assert.equal(fleetSentence(fleet()), 'All 2,041 units are as their sources say')
  const calm = { total: 3, ready: 1, progressing: 1, failed: 0, stalled: 0, suspended: 1 }
  assert.equal(fleetSentence(fleet({ units: calm })), 'Nothing fails: 1 of 3 units ready, 1 in progress, 1 suspended')
  const nothing = {
    clusters: { total: 0, ready: 0, unreachable: 0, failing: 0 },
    units: { ...units, total: 0, failed: 0, stalled: 0 },
  }
  assert.equal(fleetSentence(fleet(nothing)), 'Nothing is deployed yet')
})

test('the second line says how far it reaches, and that the others are not affected', () => {
  assert.equal(fleetReach(fleet()), 'On 48 clusters.')
  assert.equal(fleetReach(fleet({ causes: [cause()] })), 'On 1 of 48 clusters. The others are not affected.')
  const two = { total: 1, ready: 0, unreachable: 1, failing: 0 }
  assert.equal(fleetReach(fleet({ causes: [cause()], clusters: two })), 'On the only cluster.')
})

test('a cause says what it holds up besides itself', () => {
  assert.equal(heldUp(cause()), '')
  const units = { total: 9, names: ['Kustomization/apps/a'] }
  assert.equal(heldUp(cause({ object: 'Cluster/apps/b', units })), '9 units wait for it')
  const alike = { total: 4, names: ['Kustomization/apps/web'] }
  const clusters = { total: 4, names: [] }
  assert.equal(heldUp(cause({ units: alike, clusters })), '3 more units on 4 clusters')
})

test('times are one figure, relative under a day; revisions keep seven digits', () => {
  assert.deepEqual([59_999, 60_000, 7_200_000, 86_400_000, 300_000_000].map(span), [
    '59 s',
    '1 min',
    '2 h',
    '1 day',
    '3 days',
  ])
  const now = Date.parse('2026-11-28T10:00:00Z')
  assert.equal(timeText('2026-11-28T09:37:00Z', now), '23 min ago')
  assert.match(timeText('2026-11-20T09:37:00Z', now), /^20 Nov,? /)
  assert.equal(revisionText(`main@sha1:3f9c2e1${'0'.repeat(33)}`), 'main@3f9c2e1')
  assert.equal(revisionText('1.7.4'), '1.7.4')
})

test('runs are counted by the hour, the current one last', () => {
  const now = Date.parse('2026-11-28T10:30:00Z')
  const bars = runsByHour(
    [
      { startedAt: '2026-11-28T10:05:00Z', result: 'Failed' },
      { startedAt: '2026-11-28T10:01:00Z', result: 'Succeeded' },
      { startedAt: '2026-11-27T11:00:00Z', result: 'Succeeded' },
      { startedAt: '2026-11-27T10:59:00Z', result: 'Succeeded' },
    ],
    now,
    24,
  )
  assert.equal(bars.length, 24)
  assert.deepEqual([bars[0]!.total, bars[23]], [1, { from: Date.parse('2026-11-28T10:00:00Z'), total: 2, failed: 1 }])
})

test('six states: held and unreachable go before failing', () => {
  const of = (state: 'failed' | 'ready' | 'stalled' | 'suspended', reason?: string, isWaiting = false) =>
    Object.values(shownFrom({ state, reason, isWaiting })).join(' ')
  assert.equal(of('failed'), 'failing Failing')
  assert.equal(of('failed', 'PruneGuarded'), 'waiting Held')
  assert.equal(of('failed', 'ClusterUnreachable'), 'unreachable Unreachable')
  assert.equal(of('suspended', 'PruneGuarded'), 'suspended Suspended')
  assert.equal(of('stalled'), 'failing Stalled')
  assert.equal(of('ready', undefined, true), 'waiting Waiting')
  assert.deepEqual(stateOfCause({ severity: 'warning', reason: 'ExpiresSoon' }), { state: 'waiting', word: 'Warning' })
})
