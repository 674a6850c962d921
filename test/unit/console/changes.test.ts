/** Sentences and actions of plans and rollouts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparisonHeadline } from '../../../lib/console/model/comparison-text.ts'
import { missingPlanActions, planActions } from '../../../lib/console/model/plan-actions.ts'
import {
  groupedByAction,
  groupedByFile,
  planHeadline,
  plannedParts,
  plannedTitles,
} from '../../../lib/console/model/plan-text.ts'
import {
  clusterActions,
  missingRolloutActions,
  rolloutActions,
  type SteeredRun,
} from '../../../lib/console/model/rollout-actions.ts'
import { rolloutHeadline, stagesOf } from '../../../lib/console/model/rollout-text.ts'
import type { Comparison } from '../../../lib/foundations/fleet/comparison.ts'
import type { Plan } from '../../../lib/foundations/kinds/plan.ts'
import type { Rollout } from '../../../lib/foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../../lib/foundations/kinds/rollout-run.ts'

const now = Date.parse('2026-11-28T10:00:00Z')
const confirmed = { reason: 'CHG-1', hours: 0, now }

const plan = (spec: object = {}, status: object = { phase: 'Waiting' }): Plan =>
  ({
    metadata: { name: 'kustomization-web-1', namespace: 'apps', uid: 'u' },
    spec: {
      ...{ unit: { kind: 'Kustomization', name: 'web' }, digest: 'sha256:1', counts: { configured: 2, deleted: 1 } },
      ...{
        author: 'Ann <ann@acme.example>',
        approvals: { count: 2, authorMayApprove: false, reason: 'Namespace apps' },
      },
      ...spec,
    },
    status,
  }) as unknown as Plan

const labels = (actions: readonly { readonly label: string }[]) => actions.map(({ label }) => label)

test('a plan says how many approvals it waits for, and what it would destroy', () => {
  assert.equal(planHeadline(plan()), 'Waits for 2 approvals')
  assert.equal(planHeadline(plan({}, { phase: 'Waiting', approvedBy: ['bob'] })), 'Waits for 1 approval')
  assert.deepEqual(plannedParts({ configured: 2, deleted: 1, unchanged: 7 }), [
    { text: '2 changed', isDestructive: false },
    { text: '1 deleted', isDestructive: true },
  ])
})

test('what is deleted comes first, and what has left the build has no file', () => {
  const change = (action: string, name: string, origin?: string) =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', name, action, origin }) as never
  const changes = [change('created', 'a', 'x.yaml'), change('deleted', 'b'), change('configured', 'c', 'x.yaml')]
  assert.deepEqual(
    groupedByAction(changes, plannedTitles).map(({ title }) => title),
    ['Deleted 1', 'Changed 1', 'Created 1'],
  )
  assert.deepEqual(
    groupedByFile(changes).map(({ title, changes: found }) => [title, found.map(({ name }) => name)]),
    [
      ['x.yaml', ['a', 'c']],
      ['No longer in the build', ['b']],
    ],
  )
})

test('a decision is an Approval of exactly this plan, which goes with it', () => {
  const [reject, approve] = planActions({ plan: plan({ expiresAt: '2026-12-01T10:00:00Z' }), mayDecide: true }, 'bob')
  assert.deepEqual([reject?.label, approve?.label], ['Reject…', 'Approve…'])
  assert.match(approve?.question?.text ?? '', /Exactly this is applied: 2 changed, 1 deleted/)
  assert.equal(approve?.question?.note, '1 further approval needed after yours.')
  const [request] = approve!.requests(confirmed)
  assert.ok(request && 'object' in request)
  const { metadata, spec } = request.object as unknown as { metadata: Record<string, unknown>; spec: object }
  assert.deepEqual(spec, {
    ...{ subject: { kind: 'Plan', name: 'kustomization-web-1' }, digest: 'sha256:1', decision: 'Approved' },
    ...{ comment: 'CHG-1', expiresAt: '2026-12-01T10:00:00Z' },
  })
  assert.deepEqual(metadata.ownerReferences, [
    { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Plan', name: 'kustomization-web-1', uid: 'u' },
  ])
})

test('nobody approves their own push, or twice, or what has ended; and the page says why', () => {
  const view = (status?: object) => ({ plan: plan({}, status), mayDecide: true })
  assert.deepEqual(labels(planActions(view(), 'oidc:ann@acme.example')), ['Reject…'])
  assert.match(missingPlanActions(view(), 'oidc:ann@acme.example')[0] ?? '', /you have pushed this revision/)
  const once = view({ phase: 'Waiting', approvedBy: ['bob'] })
  assert.deepEqual(labels(planActions(once, 'bob')), ['Reject…'])
  assert.deepEqual(missingPlanActions(once, 'bob'), ['You have approved it.'])
  for (const phase of ['Applied', 'Stale', 'Expired']) {
    assert.deepEqual(planActions(view({ phase }), 'bob'), [], phase)
    assert.deepEqual(missingPlanActions(view({ phase }), 'bob'), [], phase)
  }
  assert.deepEqual(labels(planActions(view({ phase: 'Rejected', rejectedBy: 'bob' }), 'bob')), ['Approve…'])
  const refused = { plan: plan(), mayDecide: false }
  assert.deepEqual(planActions(refused, 'bob'), [])
  assert.deepEqual(missingPlanActions(refused, 'bob'), [
    'No decision: bob may not approve plans in the namespace apps.',
  ])
})

const stages = [
  {
    name: 'canary',
    after: [
      { name: 'soak', healthyFor: '30m' },
      { name: 'go', approval: {} },
    ],
  },
  { name: 'europe', before: [{ query: { url: 'https://prometheus.acme.example/q', expression: 'value < 1' } }] },
]

const run = (status: object, spec: object = {}): RolloutRun =>
  ({
    metadata: { name: 'web-2', namespace: 'apps', uid: 'u' },
    spec: {
      ...{ rollout: 'web', stages, previous: 'web-1' },
      sources: [{ artifact: { revision: `main@sha1:${'1a2b3c4d'.repeat(5)}`, digest: 'sha256:a' } }],
      ...spec,
    },
    status,
  }) as unknown as RolloutRun

const progress = (name: string, ready: number, failed = 0) => ({
  ...{ name, clusters: 2, ready, progressing: 0, failed, skipped: 0 },
  ...(failed > 0 && { failedClusters: ['paris'] }),
})

const steered = (status: object, rights: object = {}, rollout: object = {}): SteeredRun => ({
  rollout: { spec: {}, status: { units: 40 }, ...rollout } as unknown as Rollout,
  run: run(status),
  previous: run({}, {}),
  rights: { mayOrder: true, mayDecide: true, decisions: [], ...rights },
})

const closed = { stage: 'canary', step: 'After', gate: 'go', message: 'waits for an approval' }

const atGate = {
  ...{ phase: 'Running', stage: 0, step: 'After', stages: [progress('canary', 2), progress('europe', 0)] },
  waitsFor: ['gate go: waits for an approval'],
  closedGates: [{ ...closed, digest: 'sha256:d' }],
}

test('a stage is done, at a gate, or not yet there; of its gates those are closed that the run waits for', () => {
  assert.deepEqual(
    stagesOf(run(atGate)).map(({ name, state, before, after }) => [
      ...[name, state.word, before.map(gate => gate.state.word)],
      after.map(gate => `${gate.name}: ${gate.text}: ${gate.state.word}`),
    ]),
    [
      [...['canary', 'Gates after it', []], ['soak: all ready for 30m: Open', 'go: approved by 1 user: Waiting']],
      ['europe', 'Not yet', ['Not yet'], []],
    ],
  )
  const [, europe] = stagesOf(run({ ...atGate, stage: 1, step: 'Rolling', waitsFor: [], closedGates: [] }))
  assert.deepEqual(
    [europe?.state.word, europe?.before[0]?.state.word, europe?.before[0]?.text],
    ['In progress', 'Open', 'value < 1, of prometheus.acme.example'],
  )
  assert.equal(rolloutHeadline(run(atGate)), 'Waits after stage canary')
  const rolling = { ...atGate, stage: 1, step: 'Rolling', stages: [progress('canary', 2), progress('europe', 1)] }
  assert.equal(rolloutHeadline(run(rolling)), 'Stage europe: 1 of 2 clusters ready')
  assert.equal(rolloutHeadline(run({ ...atGate, phase: 'Succeeded' })), 'All stages run main@1a2b3c4')
  const empty = atGate.stages.map(stage => ({ ...stage, clusters: 0, ready: 0 }))
  assert.equal(rolloutHeadline(run({ ...rolling, stages: empty })), 'Stage europe selects no cluster')
  assert.equal(rolloutHeadline(run({ phase: 'Succeeded', stages: empty })), 'No stage selects a cluster')
})

test('gates of each cluster are shown with their stage, and wait while a cluster is at one', () => {
  const stages = [{ name: 'canary', eachCluster: { before: [{ name: 'go', approval: {} }], after: [{ wait: '10m' }] } }]
  const gatesAt = (status: object) => {
    const { spec, ...rest } = run({ ...atGate, step: 'Rolling', ...status })
    const [canary] = stagesOf({ ...rest, spec: { ...spec, stages } } as RolloutRun)
    return canary?.eachCluster.map(({ text, state }) => `${text}: ${state.word}`)
  }
  const paris = { stage: 'canary', step: 'After', cluster: 'apps/paris', gate: 'wait', message: 'opens at 10:00' }
  assert.deepEqual(gatesAt({ closedGates: [paris] }), [
    'before each cluster: approved by 1 user: In progress',
    'after each cluster: waits 10m: Waiting',
  ])
  const rome = { ...closed, step: 'Before', cluster: 'apps/rome' }
  const late = { phase: 'Succeeded', closedGates: [rome] }
  assert.deepEqual(gatesAt(late), [
    'before each cluster: approved by 1 user: Waiting',
    'after each cluster: waits 10m: Open',
  ])
})

test('only orders that have an effect are offered, and what they do is said in numbers and names', () => {
  const actions = rolloutActions(steered(atGate))
  assert.deepEqual(labels(actions), [...['Rollback…', 'Abort…', 'Retry…', 'Pause…', 'Reject stage…', 'Approve stage…']])
  assert.match(actions[0]?.question?.text ?? '', /^All 40 units go back to main@1a2b3c4, at once\.$/)
  const failed = { ...atGate, phase: 'Paused', pausedFor: 'Failed', stages: [progress('canary', 1, 1)] }
  const others = rolloutActions(steered(failed))
  assert.deepEqual(labels(others), ['Rollback…', 'Abort…', 'Retry…', 'Resume…'])
  assert.equal(others.at(-1)?.question?.text, 'It continues, and accepts what has failed: paris.')
  const [order] = others.at(-1)!.requests(confirmed)
  assert.deepEqual(order && 'body' in order && order.body, {
    spec: { order: { type: 'Resume', id: '2026-11-28T10:00:00.000Z', reason: 'CHG-1' } },
  })
  const ended = steered({ phase: 'RolledBack', stage: 0 })
  assert.deepEqual(labels(rolloutActions(ended)), ['Retry…'])
})

test('a stage is approved by its name and the digest that its gate waits for', () => {
  const [request] = rolloutActions(steered(atGate))
    .at(-1)!
    .requests({ ...confirmed, reason: '' })
  assert.ok(request && 'object' in request)
  assert.deepEqual((request.object as unknown as { spec: object }).spec, {
    ...{ subject: { kind: 'RolloutRun', name: 'web-2', stage: 'canary' }, digest: 'sha256:d' },
    ...{ decision: 'Approved', comment: undefined },
  })
  const soaking = rolloutActions(steered({ ...atGate, closedGates: [{ ...closed, gate: 'soak' }] }))
  assert.ok(!labels(soaking).includes('Approve stage…'), 'time opens it, nobody else')
})

test('a cluster at a gate of its own is approved by its name: no other cluster, and not the stage', () => {
  const ofCluster = (cluster: string) => ({ ...closed, step: 'Before', cluster, digest: 'sha256:d' })
  const rolling = { ...atGate, step: 'Rolling', closedGates: [ofCluster('apps/paris'), ofCluster('apps/rome')] }
  const at = steered(rolling)
  assert.ok(!labels(rolloutActions(at)).includes('Approve stage…'))
  const actions = clusterActions({ stage: 'canary', cluster: 'apps/rome' }, at)
  assert.deepEqual(labels(actions), ['Reject cluster…', 'Approve cluster…'])
  const requests = actions.at(-1)!.requests(confirmed)
  assert.deepEqual(
    requests.map(request => 'object' in request && (request.object as unknown as { spec: object }).spec),
    [
      {
        subject: { kind: 'RolloutRun', name: 'web-2', stage: 'canary', cluster: 'apps/rome' },
        ...{ digest: 'sha256:d', decision: 'Approved', comment: 'CHG-1' },
      },
    ],
  )
  assert.deepEqual(clusterActions({ stage: 'canary', cluster: 'apps/oslo' }, at), [])
  const none = steered(rolling, { mayDecide: false })
  assert.deepEqual(clusterActions({ stage: 'canary', cluster: 'apps/rome' }, none), [])
  assert.match(missingRolloutActions(none, 'bob').join(), /No approval: bob may not approve rolloutruns/)
})

test('who may give no orders, or a Rollout that takes none, says so', () => {
  const none = steered(atGate, { mayOrder: false, mayDecide: false })
  assert.deepEqual(rolloutActions(none), [])
  assert.deepEqual(missingRolloutActions(none, 'bob'), [
    'No orders: bob may not patch rolloutruns in the namespace apps.',
    'No approval: bob may not approve rolloutruns in the namespace apps.',
  ])
  const suspended = steered(atGate, { mayDecide: false }, { spec: { suspend: true } })
  assert.deepEqual(rolloutActions(suspended), [])
  assert.equal(missingRolloutActions(suspended, 'bob')[0], 'No orders: the Rollout is suspended. Resume it first.')
})

test('a comparison is described by whether anything differs, and by what could not be compared', () => {
  const desired = 'AppliedLast'
  const found = { changes: [], moreChanges: 0, refused: [], comparedAt: '', revision: '' }
  const none: Comparison = { ...found, desired, counts: { unchanged: 3 } }
  const change = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', action: 'created' } as const
  assert.equal(comparisonHeadline(none), 'The cluster is as it was applied')
  const rendered = comparisonHeadline({ ...none, desired: 'RenderedNow' })
  assert.equal(rendered, 'The cluster is as the ResourceSet renders it')
  assert.equal(comparisonHeadline({ ...none, refused: ['no'] }), 'The cluster could not be compared in full')
  const one = { ...none, counts: { created: 1 }, changes: [change], refused: ['no'] }
  assert.equal(comparisonHeadline(one), '1 object on the cluster differs')
  assert.equal(comparisonHeadline({ ...one, moreChanges: 499 }), '500 objects on the cluster differ')
})
