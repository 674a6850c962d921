/** Orders to rollouts and decisions about plans, as far as an operator lets agents give them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { by } from '../store/world.ts'
import { call, mcpWorld } from './mcp-world.ts'

const fleet = 'fleet.keelson.dev/v1alpha1'
const digest = `sha256:${'1'.repeat(64)}`

const withPlanAndRun = async (options: Parameters<typeof mcpWorld>[0]) => {
  const world = await mcpWorld(options)
  const { hub } = world
  const unit = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'shop' }
  for (const [name, phase] of [
    ['a', 'Waiting'],
    ['b', 'Stale'],
  ] as const)
    await hub.create(
      {
        ...{ apiVersion: fleet, kind: 'Plan', metadata: { name, namespace: 'apps' } },
        spec: { unit, digest, counts: { configured: 1 }, expiresAt: '2027-01-01T00:00:00Z' },
        status: { phase },
      },
      by('test'),
    )
  const artifact = {
    digest: 'sha256:1',
    lastUpdateTime: '2026-11-28T10:00:00Z',
    path: 'x',
    url: 'http://x',
    revision: 'main@sha1:1',
  }
  const source = { kind: 'GitRepository', name: 'app', namespace: 'apps' }
  const stages = [{ name: 'all' }]
  await hub.create(
    {
      ...{ apiVersion: fleet, kind: 'Rollout', metadata: { name: 'web', namespace: 'apps' } },
      spec: { sources: [source], stages },
    },
    by('test'),
  )
  const run = {
    ...{ apiVersion: fleet, kind: 'RolloutRun' },
    metadata: { name: 'web-1', namespace: 'apps', labels: { 'fleet.keelson.dev/rollout': 'web' } },
    spec: { rollout: 'web', stages, sources: [{ ...source, artifact }] },
  }
  await hub.create(run, by('test'))
  await hub.update(
    { ...run, status: { phase: 'Running', stage: 0, step: 'Rolling' } },
    { ...by('test'), subresource: 'status' },
  )
  const approvals = async () =>
    (await hub.list({ group: 'fleet.keelson.dev', kind: 'Approval', namespace: 'apps' })).items as unknown as readonly {
      readonly spec: Readonly<Record<string, unknown>>
    }[]
  const orderOf = async () =>
    (
      (await hub.get({
        ...{ group: 'fleet.keelson.dev', kind: 'RolloutRun' },
        namespace: 'apps',
        name: 'web-1',
      })) as unknown as {
        readonly spec: { readonly order?: Readonly<Record<string, unknown>> }
      }
    ).spec.order
  return { ...world, approvals, orderOf }
}

const order = { namespace: 'apps', name: 'web', run: 'web-1', order: 'Pause', reason: 'errors in Paris' }
const decision = { namespace: 'apps', name: 'a', digest, decision: 'Approved', comment: 'Jane has asked for it' }

test('MC-04: without writes there are no orders, and with them no decisions, unless an operator allows those, too', async () => {
  for (const [options, expected] of [
    [{}, []],
    [{ allowsDecisions: true }, []],
    [{ allowsWrites: true }, ['order_rollout']],
    [{ allowsWrites: true, allowsDecisions: true }, ['order_rollout', 'decide_plan']],
  ] as const) {
    const { connect } = await mcpWorld(options)
    const { tools } = await (await connect('admin')).listTools()
    const found = tools.filter(({ name }) => name === 'order_rollout' || name === 'decide_plan')
    assert.deepEqual(
      found.map(({ name }) => name),
      expected,
    )
    assert.ok(found.every(({ annotations }) => annotations?.readOnlyHint === false && annotations.destructiveHint))
  }
})

test('MC-04: an order is given to the run that the agent has read, for a reason, and only if it has an effect', async () => {
  const { connect, orderOf } = await withPlanAndRun({ allowsWrites: true, role: 'keelson-edit' })
  const admin = await connect('admin')
  const newer = await call(admin, 'order_rollout', { ...order, run: 'web-0' })
  assert.match(newer.content[0]!.text, /the latest run of Rollout apps\/web is web-1/)
  const vain = await call(admin, 'order_rollout', { ...order, order: 'Rollback' })
  assert.match(vain.content[0]!.text, /Rollback has no effect: there is no revision before/)
  assert.equal(await orderOf(), undefined)
  const found = await call(admin, 'get_rollout', { namespace: 'apps', name: 'web' })
  const { run } = found.structuredContent as unknown as { readonly run: { readonly orders: readonly string[] } }
  assert.deepEqual(run.orders, ['Pause', 'Abort', 'Retry'])
  const given = await call(admin, 'order_rollout', order)
  assert.match(given.content[0]!.text, /^Ordered Pause of RolloutRun\/apps\/web-1/)
  const { type, reason } = (await orderOf()) ?? {}
  assert.deepEqual([type, reason], ['Pause', 'errors in Paris'])
})

test('MC-04: a user without the right gives no orders and decides nothing', async () => {
  const { connect, approvals, orderOf } = await withPlanAndRun({
    ...{ allowsWrites: true, allowsDecisions: true, role: 'keelson-view' },
  })
  const tenant = await connect('tenant')
  assert.match((await call(tenant, 'order_rollout', order)).content[0]!.text, /The hub refused \(403\)/)
  assert.match((await call(tenant, 'decide_plan', decision)).content[0]!.text, /The hub refused \(403\)/)
  assert.deepEqual([await orderOf(), await approvals()], [undefined, []])
})

test('MC-04: a decision is of exactly the digest that was read, in the name of the user, and says that an agent made it', async () => {
  const { connect, approvals } = await withPlanAndRun({
    ...{ allowsWrites: true, allowsDecisions: true, role: 'keelson-approver' },
  })
  const tenant = await connect('tenant')
  const other = await call(tenant, 'decide_plan', { ...decision, digest: `sha256:${'2'.repeat(64)}` })
  assert.match(other.content[0]!.text, /plan a has the digest sha256:1+: read it again/)
  const stale = await call(tenant, 'decide_plan', { ...decision, name: 'b' })
  assert.match(stale.content[0]!.text, /plan b is Stale/)
  const made = await call(tenant, 'decide_plan', decision)
  assert.match(made.content[0]!.text, /^Approved Plan\/apps\/a/)
  const [approval, ...more] = await approvals()
  assert.deepEqual(more, [])
  assert.deepEqual(approval?.spec, {
    ...{ subject: { kind: 'Plan', name: 'a' }, digest, decision: 'Approved', expiresAt: '2027-01-01T00:00:00Z' },
    ...{ comment: 'By an agent: Jane has asked for it', approver: 'tenant' },
  })
})
