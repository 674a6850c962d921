import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsOf, missingActions, type Rights, type Subject } from '../../../lib/console/model/object-actions.ts'
import { gitRepository } from '../../../lib/foundations/kinds/git-repository.ts'
import { helmRelease } from '../../../lib/foundations/kinds/helm-release.ts'
import type { Kind } from '../../../lib/foundations/kinds/kind.ts'
import { kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'

const now = Date.parse('2026-11-28T10:00:00Z')
const source = { kind: gitRepository as unknown as Kind, namespace: 'apps', name: 'fleet' }
const all: Rights = { mayPatch: true, mayOverride: true, mayDecide: false, sources: [source], refusedSources: [] }

const subject = (
  conditions: readonly (readonly [type: string, status: string, reason: string, message: string])[],
  { allowed = all, kind = kustomization as unknown as Kind, spec = {} } = {},
): Subject => ({
  kind,
  allowed,
  object: {
    ...{ apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name: 'web', namespace: 'apps', generation: 1 } },
    spec,
    status: {
      observedGeneration: 1,
      conditions: conditions.map(([type, status, reason, message]) => ({ type, status, reason, message })),
    },
  } as unknown as KubernetesObject,
})

const labels = (of: Subject) => actionsOf(of).map(({ label }) => label)
const act = (of: Subject, label: string, reason = '', hours = 0) =>
  actionsOf(of)
    .find(action => action.label === label)!
    .requests({ reason, hours, now })
    .filter(request => 'body' in request)

test('who may not patch has no action, and is told so', () => {
  const of = subject([], { allowed: { ...all, mayPatch: false } })
  assert.deepEqual(labels(of), [])
  assert.deepEqual(missingActions(of, 'jane'), ['No actions: jane may not patch kustomizations in the namespace apps.'])
})

test('the source is requested before the unit, if the person may', () => {
  const ready = [['Ready', 'True', 'ReconciliationSucceeded', 'Applied']] as const
  const [first, second] = act(subject(ready), 'With source')
  assert.deepEqual(
    [first?.kind.kind, first?.name, second?.kind.kind, second?.name],
    [...['GitRepository', 'fleet', 'Kustomization', 'web']],
  )
  const refused = subject(ready, { allowed: { ...all, sources: [], refusedSources: ['GitRepository fleet'] } })
  assert.deepEqual(labels(refused), ['Reconcile', 'Suspend…'])
  assert.deepEqual(missingActions(refused, 'jane'), ['Without source: jane may not patch GitRepository fleet.'])
})

test('what is suspended is resumed, and nothing else', () => {
  const of = subject([], {
    spec: { suspend: true },
    allowed: { ...all, sources: [], refusedSources: ['GitRepository x'] },
  })
  assert.deepEqual(labels(of), ['Resume'])
  assert.deepEqual(missingActions(of, 'jane'), [])
})

test('an override has an end and a reason, and is offered only to those who may, while something waits', () => {
  const waiting = [['Waiting', 'True', 'Window', 'revision main@sha1:1 waits']] as const
  const [patch] = act(subject(waiting), 'Override window…', 'the outage', 4)
  assert.deepEqual(patch?.body, {
    metadata: {
      annotations: {
        'keelson.dev/override-window': '2026-11-28T14:00:00.000Z the outage',
        'reconcile.fluxcd.io/requestedAt': '2026-11-28T10:00:00.000Z',
      },
    },
  })
  const may = subject(waiting, { allowed: { ...all, mayOverride: false } })
  assert.ok(!labels(may).includes('Override window…'))
  assert.deepEqual(missingActions(may, 'jane'), [
    'No override: jane may not override kustomizations in the namespace apps.',
  ])
  assert.ok(!labels(subject([['Waiting', 'True', 'ClusterSuspended', 'waits']])).includes('Override window…'))
})

test('UI-06 only a HelmRelease that has given up is retried, and any is forced as flux does', () => {
  const stalled = [['Stalled', 'True', 'RetriesExceeded', 'Failed']] as const
  const of = subject(stalled, { kind: helmRelease as unknown as Kind })
  const at = '2026-11-28T10:00:00.000Z'
  assert.deepEqual(act(of, 'Retry…')[0]?.body, {
    metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': at, 'reconcile.fluxcd.io/resetAt': at } },
  })
  assert.ok(!labels(subject(stalled)).includes('Retry…'))
  const well = subject([], { kind: helmRelease as unknown as Kind })
  assert.ok(!labels(well).includes('Retry…'))
  assert.deepEqual(act(well, 'Force…')[0]?.body, {
    metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': at, 'reconcile.fluxcd.io/forceAt': at } },
  })
  assert.ok(!labels(subject([])).includes('Force…'))
})

test('held deletions are allowed by their digest, which the question does not show as a command', () => {
  const message =
    '3 deletions wait for approval: a, b, c; to delete exactly these, run: keelson allow-prune --digest sha256:ab12'
  const of = subject([['PruneGuarded', 'True', 'PruneGuarded', message]])
  const action = actionsOf(of).find(({ style }) => style === 'danger')
  assert.equal(action?.question?.text, '3 deletions wait for approval: a, b, c')
  assert.match(JSON.stringify(act(of, 'Allow deletions…')[0]?.body), /sha256:ab12@2026-11-28T10:00:00/)
})

test('who may approve decides about held deletions by an Approval of exactly that list, and others are told', () => {
  const digest = `sha256:${'ab'.repeat(32)}`
  const held = (command: string) =>
    [
      ['PruneGuarded', 'True', 'PruneGuarded', `2 deletions wait; to delete exactly these, ${command} ${digest}`],
    ] as const
  const byUsers = held('a user runs: keelson approve kustomization/web -n apps --digest')
  const approver = { ...all, mayDecide: true }
  const of = subject(byUsers, { allowed: approver })
  assert.deepEqual(labels(of).slice(-2), ['Reject deletions…', 'Allow deletions…'])
  const [request] = actionsOf(of).at(-1)!.requests({ reason: 'CHG-1', hours: 0, now })
  assert.ok(request && 'object' in request)
  assert.deepEqual((request.object as unknown as { spec: object }).spec, {
    ...{ subject: { kind: 'Kustomization', name: 'web' }, digest, decision: 'Approved', comment: 'CHG-1' },
  })
  assert.equal(actionsOf(of).at(-1)?.question?.text, '2 deletions wait')
  const editor = subject(byUsers)
  assert.ok(!labels(editor).includes('Allow deletions…'))
  assert.deepEqual(missingActions(editor, 'jane'), [
    'No decision about the deletions: jane may not approve kustomizations in the namespace apps.',
  ])
  const onlyApprover = { ...approver, mayPatch: false }
  assert.deepEqual(labels(subject(byUsers, { allowed: onlyApprover })), ['Reject deletions…', 'Allow deletions…'])
  assert.deepEqual(missingActions(subject(held('run: keelson allow-prune kustomization/web --digest')), 'jane'), [])
})
