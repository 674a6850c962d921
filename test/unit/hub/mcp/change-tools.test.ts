/** Plans, rollouts and drift, as agents read them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { condition, ready, unitOn } from '../../foundations/fleet/fleet-parts.ts'
import { by } from '../store/world.ts'
import { call, mcpWorld } from './mcp-world.ts'

const fleet = 'fleet.keelson.dev/v1alpha1'

const planOf = (name: string, namespace: string, unit: string, phase: string) => ({
  ...{ apiVersion: fleet, kind: 'Plan', metadata: { name, namespace } },
  spec: {
    unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: unit },
    ...{ digest: 'sha256:1', revision: 'main@sha1:2', author: 'Mona <mona@example.com>', counts: { configured: 2 } },
    approvals: { count: 2, authorMayApprove: false, reason: 'Cluster/apps/prod' },
  },
  status: { phase, approvedBy: ['jane'] },
  changes: [
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'apps', name: 'env', action: 'configured' },
      fields: [
        { path: 'data.host', before: 'old', after: 'new' },
        { path: 'data.DB_PASSWORD', before: 'hunter1', after: 'hunter2' },
        { path: 'metadata.annotations', after: '{"api-token":"hunter3","team":"shop"}' },
      ],
    },
  ],
})

const addPlans = async ({ hub }: Awaited<ReturnType<typeof mcpWorld>>) => {
  for (const [name, namespace, unit, phase] of [
    ['a', 'apps', 'shop', 'Waiting'],
    ['b', 'apps', 'shop', 'Applied'],
    ['c', 'apps', 'other', 'Waiting'],
    ['d', 'others', 'theirs', 'Waiting'],
  ] as const)
    await hub.create(planOf(name, namespace, unit, phase), by('test'))
}

test('MC-03: an agent lists plans by unit and phase, a page at a time, of what its user may list', async () => {
  const world = await mcpWorld({ role: 'keelson-view' })
  await addPlans(world)
  const admin = await world.connect('admin')
  const names = async (args: Record<string, unknown>) =>
    (await call(admin, 'list_plans', args)).structuredContent?.items?.map(({ name }) => name)
  assert.deepEqual(await names({}), ['a', 'b', 'c', 'd'])
  assert.deepEqual(await names({ namespace: 'apps', phase: 'Waiting' }), ['a', 'c'])
  assert.deepEqual(await names({ unit: 'shop', phase: 'Applied' }), ['b'])
  assert.deepEqual(await names({ unit: 'shop,status.phase=Waiting' }), [], 'no term gets out of its value')
  const first = await call(admin, 'list_plans', { namespace: 'apps', limit: 2 })
  assert.deepEqual(await names({ namespace: 'apps', limit: 2, continue: first.structuredContent?.continue }), ['c'])
  const [row] = first.structuredContent?.items ?? []
  const { unit, phase, changes, approvedBy } = row as unknown as Record<string, unknown>
  assert.deepEqual(
    { unit, phase, changes, approvedBy },
    {
      ...{ unit: 'Kustomization/shop', phase: 'Waiting', changes: '~2', approvedBy: ['jane'] },
    },
  )
  const tenant = await world.connect('tenant')
  assert.match((await call(tenant, 'list_plans')).content[0]!.text, /The hub refused \(403\)/)
  const own = await call(tenant, 'list_plans', { namespace: 'apps', unit: 'other' })
  assert.deepEqual(
    own.structuredContent?.items?.map(({ name }) => name),
    ['c'],
  )
})

test('MC-03, MC-06: a plan says what would change, and what is named like a secret is masked there too', async () => {
  const world = await mcpWorld({ role: 'keelson-view' })
  await addPlans(world)
  const tenant = await world.connect('tenant')
  const { structuredContent, content } = await call(tenant, 'get_plan', { namespace: 'apps', name: 'a' })
  const { changes, spec, status } = structuredContent as unknown as ReturnType<typeof planOf>
  assert.deepEqual(changes[0]?.fields, [
    { path: 'data.host', before: 'old', after: 'new' },
    { path: 'data.DB_PASSWORD', before: '***', after: '***' },
    { path: 'metadata.annotations', after: '{"api-token":"***","team":"shop"}' },
  ])
  assert.equal(spec.approvals.count, 2)
  assert.equal(status.phase, 'Waiting')
  assert.ok(!content[0]!.text.includes('hunter'))
  const theirs = await call(tenant, 'get_plan', { namespace: 'others', name: 'd' })
  assert.match(theirs.content[0]!.text, /The hub refused \(403\).*explain_access/)
  const missing = await call(tenant, 'get_plan', { namespace: 'apps', name: 'z' })
  assert.match(missing.content[0]!.text, /The hub refused \(404\).*"z" not found/)
})

test('MC-03: a rollout is shown with the run under way, stage by stage, and the runs before', async () => {
  const { hub, connect } = await mcpWorld({ role: 'keelson-view' })
  const stages = [{ name: 'canary' }, { name: 'all' }]
  const source = { kind: 'GitRepository', name: 'app', namespace: 'apps' }
  const artifact = { digest: 'sha256:1', lastUpdateTime: '2026-11-28T10:00:00Z', path: 'x', url: 'http://x' }
  const rollout = {
    ...{ apiVersion: fleet, kind: 'Rollout', metadata: { name: 'web', namespace: 'apps' } },
    spec: { sources: [source], strategyRef: { name: 'careful' } },
  }
  await hub.create(rollout, by('test'))
  const client = await connect('tenant')
  const before = await call(client, 'get_rollout', { namespace: 'apps', name: 'web' })
  assert.match(before.content[0]!.text, /^Rollout apps\/web: it has no run yet\./)
  assert.equal(
    (before.structuredContent as { readonly rollout?: { readonly strategy?: string } }).rollout?.strategy,
    'careful',
  )
  for (const at of [9, 10]) {
    const run = {
      ...{ apiVersion: fleet, kind: 'RolloutRun' },
      metadata: { name: `web-${at}`, namespace: 'apps', labels: { 'fleet.keelson.dev/rollout': 'web' } },
      spec: {
        ...{ rollout: 'web', stages, sources: [{ ...source, artifact: { ...artifact, revision: `main@sha1:${at}` } }] },
        ...(at === 10 && { previous: 'web-9' }),
      },
    }
    const counts = { clusters: 3, ready: 1, progressing: 0, failed: 1, skipped: 1, failedClusters: ['eu-1'] }
    const gate = { stage: 'all', step: 'Before', cluster: 'apps/paris', gate: 'go', message: 'waits for an approval' }
    const closedGates = [{ ...gate, digest: 'sha256:1' }]
    const status =
      at === 9
        ? { phase: 'Succeeded' }
        : {
            phase: 'Running',
            stage: 1,
            waitsFor: ['an approval'],
            closedGates,
            stages: [{ name: 'canary', ...counts }],
          }
    await hub.create(run, by('test'))
    await hub.update({ ...run, status }, { ...by('test'), subresource: 'status' })
  }
  const { structuredContent, content } = await call(client, 'get_rollout', { namespace: 'apps', name: 'web' })
  assert.match(content[0]!.text, /^Rollout apps\/web: its run web-10 is Running\./)
  const { run, earlier } = structuredContent as unknown as {
    readonly run: Record<string, unknown> & { readonly stages: readonly { readonly failedClusters: unknown }[] }
    readonly earlier: readonly Record<string, unknown>[]
  }
  assert.deepEqual(
    [run.name, run.stage, run.revisions, run.waitsFor, run.stages[0]?.failedClusters],
    ['web-10', 'all', ['GitRepository/app main@sha1:10'], ['an approval'], ['eu-1']],
  )
  assert.deepEqual(
    [run.approvals, run.orders],
    [[{ stage: 'all', cluster: 'apps/paris', digests: ['sha256:1'] }], ['Pause', 'Abort', 'Rollback', 'Retry']],
  )
  assert.deepEqual(
    earlier.map(({ name, phase }) => [name, phase]),
    [['web-9', 'Succeeded']],
  )
  const listed = await call(client, 'list_rollouts', { namespace: 'apps' })
  assert.deepEqual(
    listed.structuredContent?.items?.map(({ name }) => name),
    ['web'],
  )
})

test('MC-03: diff says how a unit treats drift, and what differs where its Runs may not be read', async () => {
  const { add, connect } = await mcpWorld()
  await add(unitOn('prod', 'shop'))
  const client = await connect('tenant')
  const of = (name: string) => ({ kind: 'Kustomization', namespace: 'apps', name })
  const same = await call(client, 'diff', of('shop'))
  assert.match(same.content[0]!.text, /^Kustomization\/apps\/shop: no difference is reported; drift is corrected\./)
  const message = '1 object differs from what was applied, which is only reported:\nConfigMap/apps/env is missing'
  await add(unitOn('prod', 'watched', { conditions: [ready, condition('Drifted', 'True', 'DriftDetected', message)] }))
  const differs = await call(client, 'diff', of('watched'))
  assert.match(differs.content[0]!.text, /^Kustomization\/apps\/watched: the cluster differs from what was applied\./)
  const found = differs.structuredContent as unknown as Record<string, unknown>
  assert.deepEqual([found.message, found.objects], [message, []])
  assert.match(String(found.refused), /cannot list resource "runs"/)
  const absent = await call(client, 'diff', of('none'))
  assert.match(absent.content[0]!.text, /The hub refused \(404\)/)
})
