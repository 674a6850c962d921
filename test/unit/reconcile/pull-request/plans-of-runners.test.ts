import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PullRequest } from '../../../../lib/foundations/kinds/pull-request.ts'
import { createOrders, type OrderResult } from '../../../../lib/hub/runners/orders.ts'
import { artifact, by, minute, object, openScene, planned, ref, requestRef, revision, sha } from './scene.ts'

const access = { kind: 'ConfigMap', namespace: 'default', name: 'aurora' } as const

/** A scene with a unit that the hub plans, and others behind a runner that takes these orders. */
const openBehind = async ({ takes = 'plan,head', names = ['behind'], reason = 'ProbeSucceeded' } = {}) => {
  const scene = await openScene()
  const kubeConfig = { configMapRef: { name: 'aurora' } }
  await scene.create({ ...object('v1', 'ConfigMap', 'aurora', {}), data: { provider: 'runner' } } as KubernetesObject)
  const made = object('fleet.keelson.dev/v1alpha1', 'Cluster', 'aurora', { kubeConfig })
  const annotations = { 'fleet.keelson.dev/runner-orders': takes }
  await scene.create({ ...made, metadata: { ...made.metadata, annotations } })
  const condition = {
    ...{ type: 'Reachable', status: 'Unknown', reason, message: 'no runner calls from 192.0.2.1' },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const at = ref('fleet.keelson.dev', 'Cluster', 'aurora')
  await scene.hub.patch(
    at,
    { type: 'merge', patch: { status: { conditions: [condition] } } },
    { ...by, subresource: 'status' },
  )
  await scene.unit('app')
  for (const name of names) await scene.unit(name, { kubeConfig })
  await scene.pass()
  const orders = createOrders(scene.world.ports)
  return {
    ...{ ...scene, orders },
    open: () => orders.open(access),
    /** Completes open orders as a runner would, and lets the pull request find it. */
    complete: async (result: OrderResult) => {
      for (const { id, uid } of await orders.open(access))
        await orders.complete(access, { id, uid }, async () => result)
      await scene.world.advance(5_000)
    },
    statuses: () => scene.forge.statuses.map(({ sent }) => `${sent.state}: ${sent.description}`),
    request: async () => (await scene.hub.get<PullRequest>(requestRef))!,
  }
}

test('units of a runner are planned by it, and the comment waits for them without a pass being open', async () => {
  const scene = await openBehind()
  try {
    await scene.fetched(revision('a'))
    const [order] = await scene.open()
    assert.deepEqual(
      [order?.ref.name, order?.work],
      ['behind', { type: 'head', artifact: artifact('app-pr-7', revision('a')) }],
    )
    assert.deepEqual([scene.woken, scene.plans, scene.forge.comments], [['ConfigMap/default/aurora'], [], []])
    assert.deepEqual((await scene.open()).length, 1, 'a later pass places no other one')

    await scene.complete({ found: { ...planned, cluster: access } })
    assert.deepEqual(
      scene.plans.map(({ unit }) => unit),
      ['app'],
    )
    assert.match(
      scene.forge.comments[0]!.text,
      /\| `Kustomization\/default\/behind` \| `ConfigMap\/default\/aurora` \| `~1` \|/,
    )
    assert.deepEqual(scene.statuses(), ['pending: Planning', 'success: 2 units: ~2'])
    assert.equal((await scene.request()).status?.awaited, undefined)
    await scene.world.advance(60 * minute)
    assert.deepEqual([scene.statuses().length, await scene.open()], [2, []], 'nothing is new')
  } finally {
    await scene.world.close()
  }
})

test('a new head is planned, and what a runner has found out about the last one is not shown', async () => {
  const scene = await openBehind()
  try {
    await scene.fetched(revision('a'))
    const [before] = await scene.open()
    await scene.orders.complete(access, before!, async () => ({ found: { ...planned, cluster: access } }))
    await scene.pushed(sha('b'))
    await scene.fetched(revision('b'))
    assert.equal(scene.forge.comments.length, 0)
    await scene.complete({ found: { type: 'untouched' } })
    assert.match(scene.forge.comments[0]!.text, /Plan of `bbbbbbbbbbbb` for `main`: 1 unit: ~1/)
    assert.doesNotMatch(scene.forge.comments[0]!.text, /default\/behind/)
  } finally {
    await scene.world.close()
  }
})

for (const [what, options, open] of [
  ['is away', { reason: 'RunnerAway' }, /which is away/],
  ['is too old', { takes: 'plan,comparison' }, /which is too old to plan pull requests/],
] as const)
  test(`a runner that ${what} is not waited for, fails nothing, and the comment says no more`, async () => {
    const scene = await openBehind(options)
    try {
      await scene.fetched(revision('a'))
      assert.match(scene.forge.comments[0]!.text, open)
      assert.doesNotMatch(scene.forge.comments[0]!.text, /192\.0\.2|upgrade-manifest/)
      assert.deepEqual([scene.statuses().at(-1), await scene.open()], ['success: 2 units: ~1, 1 not planned', []])
    } finally {
      await scene.world.close()
    }
  })

test('a runner that does not respond, or finds nothing, fails nothing', async () => {
  const scene = await openBehind()
  try {
    await scene.fetched(revision('a'))
    for (let minutes = 0; minutes < 4; minutes++) await scene.world.advance(minute)
    assert.match(scene.forge.comments[0]!.text, /which has not responded in time/)
    assert.deepEqual(scene.statuses().at(-1), 'success: 2 units: ~1, 1 not planned')

    await scene.pushed(sha('b'))
    await scene.fetched(revision('b'))
    await scene.complete({ failed: 'the host db.internal does not respond' })
    assert.match(scene.forge.comments[0]!.text, /its runner can not plan it: the PullRequest on the hub says why/)
    assert.doesNotMatch(scene.forge.comments[0]!.text, /internal/)
    const { plans = [] } = (await scene.request()).status ?? {}
    assert.match(plans.find(({ name }) => name === 'behind')?.message ?? '', /db\.internal/)
  } finally {
    await scene.world.close()
  }
})

test('more units than a runner takes at a time are planned one batch after another, for one comment', async () => {
  const names = Array.from({ length: 13 }, (_, at) => `behind-${at}`)
  const scene = await openBehind({ names })
  try {
    await scene.fetched(revision('a'))
    assert.equal((await scene.open()).length, 10)
    await scene.complete({ found: { ...planned, cluster: access } })
    assert.deepEqual([(await scene.open()).length, scene.forge.comments], [3, []])
    await scene.complete({ found: { ...planned, cluster: access } })
    assert.deepEqual(scene.statuses(), ['pending: Planning', 'success: 14 units: ~14'])
  } finally {
    await scene.world.close()
  }
})
