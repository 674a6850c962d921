import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { Condition } from '../../../../lib/foundations/kinds/object.ts'
import { dependencyProblem, findCycle } from '../../../../lib/foundations/rules/dependencies.ts'

const kustomization = (name: string, status: object = {}, source = 'app'): Kustomization =>
  ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace: 'team', generation: 2 },
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: source } },
    status,
  }) as Kustomization

const ready: readonly Condition[] = [
  { type: 'Ready', status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
]
const applied = (revision: string) => ({ observedGeneration: 2, conditions: ready, lastAppliedRevision: revision })
const problemWith = (dependency: Kustomization | undefined) =>
  dependencyProblem(kustomization('b'), { name: 'a' }, dependency, 'main@sha1:2')

test('KS-123 names a missing dependency', () => {
  assert.equal(
    problemWith(undefined),
    `dependency 'team/a' not found: kustomizations.kustomize.toolkit.fluxcd.io "a" not found`,
  )
})

test('KS-124 takes a dependency for ready only when its last change was observed', () => {
  const stale = { ...applied('main@sha1:2'), observedGeneration: 1 }
  assert.equal(problemWith(kustomization('a', stale)), "dependency 'team/a' is not ready")
  assert.equal(problemWith(kustomization('a')), "dependency 'team/a' is not ready")
  assert.equal(problemWith(kustomization('a', applied('main@sha1:2'))), undefined)
})

test('KS-125 wants the same revision of a dependency only when it has the same source', () => {
  assert.equal(
    problemWith(kustomization('a', applied('main@sha1:1'))),
    "dependency 'team/a' revision is not up to date",
  )
  assert.equal(problemWith(kustomization('a', applied('main@sha1:1'), 'elsewhere')), undefined)
})

const cycleFrom = (start: string, graph: Readonly<Record<string, readonly string[]>>) =>
  findCycle(start, async name => graph[name] ?? [])

test('KS-129 finds a way back along dependencies, the shortest one', async () => {
  assert.deepEqual(await cycleFrom('a', { a: ['a'] }), ['a', 'a'])
  assert.deepEqual(await cycleFrom('a', { a: ['d', 'b'], b: ['c'], c: ['a'], d: [] }), ['a', 'b', 'c', 'a'])
})

test('finds no cycle for what merely depends on one, nor in diamonds', async () => {
  assert.equal(await cycleFrom('x', { x: ['a'], a: ['b'], b: ['a'] }), undefined)
  assert.equal(await cycleFrom('a', { a: ['b', 'c'], b: ['d'], c: ['d'] }), undefined)
})
