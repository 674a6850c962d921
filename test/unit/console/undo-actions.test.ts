import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followAgain, missingUndo, returnTo, withoutResume } from '../../../lib/console/model/undo-actions.ts'
import type { Kind } from '../../../lib/foundations/kinds/kind.ts'
import { kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'
import type { UndoView } from '../../../lib/hub-client/read-undo.ts'

const kind = kustomization as unknown as Kind
const now = Date.parse('2026-11-28T10:00:00Z')

const unit = (annotations = {}, more: object = {}): KubernetesObject =>
  ({
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', spec: {} },
    metadata: { name: 'web', namespace: 'apps', uid: 'u', annotations },
    status: { history: [{ digest: 'c' }] },
    ...more,
  }) as unknown as KubernetesObject

const run = (name: string, manifests: string, changes = 1): Run =>
  ({
    metadata: { name },
    unit: { kind: 'Kustomization', name: 'web', uid: 'u' },
    ...{ manifests, revision: `main@sha1:${name}`, result: 'Succeeded' },
    changes: Array.from({ length: changes }, () => ({ kind: 'ConfigMap', name: 'a', action: 'configured' })),
  }) as unknown as Run

const view = (more: Partial<UndoView> = {}): UndoView => ({
  ...{ kind, unit: unit(), mayPatch: true, runs: [run('r3', 'c'), run('r2', 'b', 0), run('r1', 'a')] },
  ...more,
})

test('a return says what it takes back, and writes the digest with the reason', () => {
  const { question, requests } = returnTo(view(), 'r1')!
  assert.deepEqual(
    question?.takenBack?.map(({ metadata }) => metadata.name),
    ['r3'],
    'the run in between has changed nothing',
  )
  assert.equal(question?.reason?.isRequired, true)
  assert.deepEqual(requests({ reason: 'incident 4711', hours: 0, now }), [
    {
      ...{ kind, namespace: 'apps', name: 'web' },
      body: { metadata: { annotations: { 'keelson.dev/undo': 'a', 'keelson.dev/undone-for': 'incident 4711' } } },
    },
  ])
  assert.equal(returnTo(view(), 'r3'), undefined, 'it has that now')
})

test('without the right, or while it is suspended, there is no return, and it says why', () => {
  assert.deepEqual(missingUndo(view(), 'jane'), [])
  const refused = view({ mayPatch: false })
  assert.equal(returnTo(refused, 'r1'), undefined)
  assert.deepEqual(missingUndo(refused, 'jane'), ['No undo: jane may not patch kustomizations in the namespace apps.'])
  const suspended = view({ unit: unit({}, { spec: { suspend: true } }) })
  assert.equal(returnTo(suspended, 'r1'), undefined)
  assert.match(missingUndo(suspended, 'jane')[0] ?? '', /^No undo: it is suspended/)
  assert.match(
    missingUndo(view({ runs: [run('r3', 'c')] }), 'jane')[0] ?? '',
    /no earlier run has applied something else/,
  )
})

test('of a unit that a Rollout holds, the dialog says that the Rollout leaves it alone', () => {
  const held = unit({ 'keelson.dev/pin': 'apps/web-7@2026-11-28T00:00:00.000Z' })
  assert.match(
    returnTo(view({ unit: held }), 'r1')?.question?.note ?? '',
    /RolloutRun apps\/web-7 leaves it alone until then\.$/,
  )
})

test('what was undone can be resumed, and nothing else', () => {
  const own = (body: object) => ({ kind, namespace: 'apps', name: 'web', body })
  assert.deepEqual(followAgain(unit(), own), [])
  const [action] = followAgain(unit({ 'keelson.dev/undo': 'a' }), own)
  assert.deepEqual(action?.requests({ reason: '', hours: 0, now }), [
    own({
      metadata: {
        annotations: { 'keelson.dev/undo': null, 'reconcile.fluxcd.io/requestedAt': '2026-11-28T10:00:00.000Z' },
      },
    }),
  ])
})

test('the page has a button in place of the command', () => {
  assert.equal(
    withoutResume(
      'jane has undone it: revision 1 is kept; to follow the source again, run: keelson resume kustomization/web',
    ),
    'jane has undone it: revision 1 is kept',
  )
})
