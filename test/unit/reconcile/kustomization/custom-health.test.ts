import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultBuildLimits } from '../../../../lib/foundations/budget/budget.ts'
import type { Kustomization, KustomizationSpec } from '../../../../lib/foundations/kinds/kustomization.ts'
import { evaluationsOf } from '../../../../lib/reconcile/heavy-work/evaluations.ts'
import { customHealth } from '../../../../lib/reconcile/kustomization/health/custom-health.ts'
import { configMap, onStage } from './scene.ts'

type Expressions = NonNullable<KustomizationSpec['healthCheckExprs']>

const statusOf = async (healthCheckExprs: Expressions, apiVersion: string, kind: string, status = {}) => {
  const unit = { metadata: {}, spec: { healthCheckExprs } } as Kustomization
  const evaluations = evaluationsOf(unit, new AbortController(), { settings: { buildLimits: defaultBuildLimits } })
  const judge = customHealth(unit, evaluations)
  return (await judge({ apiVersion, kind, metadata: { name: 'x' }, status }))?.status
}

test('KS-112 covers a group in all its versions, and no other group', async () => {
  const expressions = [{ apiVersion: 'example.com/v1', current: 'true' }]
  assert.equal(await statusOf(expressions, 'example.com/v2', 'Widget'), 'Current')
  assert.equal(await statusOf(expressions, 'example.org/v1', 'Widget'), undefined)
})

test('KS-113 takes the entry of a kind before that of its group', async () => {
  const expressions = [
    { apiVersion: 'example.com/v1', current: 'true' },
    { apiVersion: 'example.com/v1', kind: 'Widget', current: 'false', failed: 'true' },
  ]
  assert.equal(await statusOf(expressions, 'example.com/v1', 'Widget'), 'Failed')
  assert.equal(await statusOf(expressions, 'example.com/v1', 'Gadget'), 'Current')
})

test('KS-114 evaluates inProgress, failed and current, in this order', async () => {
  const expressions = [
    {
      apiVersion: 'example.com/v1',
      current: 'status.is.exists(s, s == "c")',
      failed: 'status.is.exists(s, s == "f")',
      inProgress: 'status.is.exists(s, s == "p")',
    },
  ]
  const status = (...is: string[]) => statusOf(expressions, 'example.com/v1', 'Widget', { is })
  assert.deepEqual(await Promise.all([status('c', 'f', 'p'), status('c', 'f'), status('c'), status()]), [
    'InProgress',
    'Failed',
    'Current',
    'InProgress',
  ])
})

test('KS-115 stalls on an expression that is malformed, or said twice for one kind', async () => {
  await onStage({}, async ({ push, kustomize, conditions, values }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('malformed', { healthCheckExprs: [{ apiVersion: 'v1', current: 'status.(' }] })
    const twice = { apiVersion: 'example.com/v1', kind: 'Widget', current: 'true' }
    await kustomize('twice', { healthCheckExprs: [twice, twice] })
    assert.match((await conditions('malformed')).join(), /^Stalled=True InvalidCELExpression: .*healthchecks\[0\]/)
    assert.match(
      (await conditions('twice')).join(),
      /duplicate custom health check for GroupKind Widget.example.com at healthchecks\[1\]/,
    )
    assert.deepEqual(await values(), {})
  })
})

test('KS-116 KS-117 evaluates only if health is awaited; a missing field ends with the timeout', async () => {
  await onStage({}, async ({ push, kustomize, conditions, advance }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    const spec = { timeout: '1m', healthCheckExprs: [{ apiVersion: 'v1', kind: 'ConfigMap', current: 'status.done' }] }
    await kustomize('no-wait', spec)
    assert.match((await conditions('no-wait')).join(), /Ready=True/)
    await kustomize('wait', { ...spec, wait: true })
    assert.match((await conditions('wait')).join(), /Ready=Unknown/)
    await advance(61_000)
    assert.match(
      (await conditions('wait')).join(),
      /HealthCheckFailed: .*ConfigMap\/default\/a status: 'Unknown': failed to evaluate the CEL expression 'status.done': no such attribute/,
    )
  })
})

test('KS-130 KS-131 evaluates the expression of a dependency instead of the usual check, or in addition', async () => {
  const dependsOn = [{ name: 'base', readyExpr: "dep.metadata.name == 'base' && self.metadata.name == 'app'" }]
  for (const additiveReadyCheck of [false, true])
    await onStage({ settings: { additiveReadyCheck } }, async ({ push, kustomize, conditions }) => {
      await push('1', { 'a.yaml': configMap('a', '1') })
      await kustomize('base', { path: 'nowhere' })
      await kustomize('app', { dependsOn })
      const expected = additiveReadyCheck
        ? /Ready=False DependencyNotReady: dependency 'default\/base' is not ready/
        : /Ready=True/
      assert.match((await conditions('app')).join(), expected)
    })
})

test('KS-132 stalls on a readyExpr that is malformed or no boolean, and keeps evaluating one that can not be decided yet', async () => {
  await onStage({}, async ({ push, kustomize, conditions }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('base')
    const conditionsWith = async (name: string, readyExpr: string) => {
      await kustomize(name, { dependsOn: [{ name: 'base', readyExpr }] })
      return (await conditions(name)).join()
    }
    assert.match(
      await conditionsWith('malformed', 'dep.'),
      /^Stalled=True InvalidCELExpression: .*failed to evaluate dependency base/,
    )
    assert.match(
      await conditionsWith('text', 'dep.metadata.name'),
      /Stalled=True InvalidCELExpression: .*expected bool/,
    )
    assert.match(
      await conditionsWith('missing', 'dep.status.none == 1'),
      /^Ready=False DependencyNotReady: failed to evaluate/,
    )
  })
})

test('KS-314 KS-335 ends a health check for a new revision or a request, where the operator wants that', async () => {
  const unready = { healthChecks: [{ kind: 'ConfigMap', apiVersion: 'v1', name: 'none', namespace: 'default' }] }
  await onStage({ settings: { cancelHealthChecks: true } }, async scene => {
    const { push, kustomize, read, eventsOf, values, advance } = scene
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', unready)
    await push('2', { 'a.yaml': configMap('a', '2') })
    await advance(1_000)
    assert.deepEqual(await values(), { a: '2' })
    const events = await eventsOf({ group: '', kind: 'Kustomization', namespace: 'default', name: 'app' })
    assert.ok(
      events.some(line => /^Normal HealthCheckCanceled .*triggered by GitRepository\/default\/app$/.test(line)),
      events.join('\n'),
    )
    assert.equal((await read('app'))?.status?.lastAttemptedRevision, 'main@sha1:2')
    const errors = scene.lines.flatMap(({ error }) => error ?? [])
    assert.ok(!errors.some(error => /New reconciliation triggered/.test(String(error))), 'nothing is wrong: no error')
  })
})

test('KS-317 gives every condition the generation that it speaks of', async () => {
  await onStage({}, async ({ push, kustomize, read }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { wait: true })
    const { metadata, status } = (await read('app'))!
    assert.deepEqual(
      status?.conditions?.map(({ type, observedGeneration }) => [type, observedGeneration]),
      [
        ['Ready', metadata.generation],
        ['Healthy', metadata.generation],
      ],
    )
  })
})
