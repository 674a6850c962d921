import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appliedBy, runsToReturnTo, undoRefusal } from '../../../../lib/foundations/fleet/undo-targets.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Run } from '../../../../lib/foundations/kinds/run.ts'

const run = (name: string, manifests: string | undefined, more: object = {}): Run =>
  ({
    metadata: { name },
    unit: { kind: 'HelmRelease', name: 'redis', uid: 'u' },
    ...{ manifests, revision: name, result: 'Succeeded', ...more },
  }) as unknown as Run

const unit = (kind: string, more: object = {}): KubernetesObject =>
  ({ kind, metadata: { name: 'redis', namespace: 'apps', uid: 'u' }, ...more }) as unknown as KubernetesObject

const names = (runs: readonly Run[]) => runs.map(({ metadata }) => metadata.name)

test('a unit returns to runs that have succeeded with other manifests, each once, the newest first', () => {
  const runs = [
    run('r6', 'c'),
    run('r5', 'b'),
    run('r4', undefined),
    run('r3', 'x', { result: 'Failed' }),
    run('r2', 'a'),
    run('r1', 'b'),
    run('r0', 'z', { unit: { kind: 'HelmRelease', name: 'redis', uid: 'of an earlier object' } }),
  ]
  assert.deepEqual(names(runsToReturnTo(unit('HelmRelease'), runs)), ['r5', 'r2'])
  assert.deepEqual(names(runsToReturnTo(unit('HelmRelease'), [])), [])
})

test('what a HelmRelease has now is what its newest run has released, even if that has failed', () => {
  const runs = [run('r2', 'b', { result: 'Failed' }), run('r1', 'a')]
  assert.deepEqual(names(runsToReturnTo(unit('HelmRelease'), runs)), ['r1'])
})

test('what a Kustomization has now is in its history: runs may name manifests that were refused', () => {
  const runs = [run('r2', 'b', { result: 'Failed' }), run('r1', 'a')]
  const now = { status: { history: [{ digest: 'a' }] } }
  assert.deepEqual(names(runsToReturnTo(unit('Kustomization', now), runs)), [])
})

test('what a unit keeps by an undo is no run to return to', () => {
  const metadata = { name: 'redis', namespace: 'apps', uid: 'u', annotations: { 'keelson.dev/undo': 'a' } }
  const runs = [run('r2', 'b'), run('r1', 'a')]
  assert.deepEqual(names(runsToReturnTo(unit('HelmRelease', { metadata }), runs)), ['r2'])
})

test('a run that is none of the unit, has failed, or names no manifests is refused with the reason', () => {
  const of = unit('HelmRelease')
  assert.deepEqual(appliedBy(run('r1', 'a'), of), { to: 'a', revision: 'r1' })
  const foreign = { unit: { kind: 'HelmRelease', name: 'other', uid: 'o' } }
  assert.throws(() => appliedBy(run('r1', 'a', foreign), of), /r1 is a run of HelmRelease\/other, or of an earlier/)
  assert.throws(() => appliedBy(run('r1', 'a', { result: 'Failed' }), of), /r1 has the result Failed/)
  assert.throws(() => appliedBy(run('r1', undefined), of), /r1 does not name the manifests/)
})

test('a unit that is suspended, or of a kind that is not undone, says so', () => {
  assert.equal(undoRefusal(unit('HelmRelease', { spec: {} })), undefined)
  assert.match(undoRefusal(unit('HelmRelease', { spec: { suspend: true } })) ?? '', /^is suspended: /)
  assert.equal(undoRefusal(unit('ResourceSet', { spec: {} })), "is a ResourceSet, which can't be undone")
})
