import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blindNote, type OpenBuilds } from '../../../../lib/foundations/fleet/head-plan.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PullRequest } from '../../../../lib/foundations/kinds/pull-request.ts'
import { createOrders, type OrderResult, orderMs, type ReleaseWork } from '../../../../lib/hub/runners/orders.ts'
import { artifact, by, minute, object, openScene, planned, ref, requestRef, revision, sha } from './scene.ts'

const access = { kind: 'ConfigMap', namespace: 'default', name: 'aurora' } as const

/** A scene with a unit that the hub plans, and others behind a runner that takes these orders. */
const openBehind = async ({
  takes = 'plan,head',
  names = ['behind'],
  reason = 'ProbeSucceeded',
  onHub,
}: {
  takes?: string
  names?: readonly string[]
  reason?: string
  onHub?: OpenBuilds
} = {}) => {
  const scene = await openScene({ ...(onHub && { onHub }) })
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
  ['is too old', { takes: 'plan,comparison' }, /which is too old to plan a Kustomization of a pull request/],
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

/** A HelmRelease behind the runner, that the Kustomization `app` has on the hub, and changes with each head. */
const behindRelease = async (size: string, takes = 'plan,head,release') => {
  const built = (size: string) => {
    const chart = { spec: { chart: './web', sourceRef: { kind: 'GitRepository', name: 'app' } } }
    const kubeConfig = { configMapRef: { name: 'aurora' } }
    return object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'web', {
      ...{ interval: '1h', kubeConfig, chart, values: { size } },
    })
  }
  const onHub = { base: [built('small')], head: [built(size)] }
  const scene = await openBehind({ takes, names: [], onHub })
  const release = built('small')
  const owner = {
    'kustomize.toolkit.fluxcd.io/name': 'app',
    'kustomize.toolkit.fluxcd.io/namespace': 'default',
  }
  await scene.create({ ...release, metadata: { ...release.metadata, labels: owner } })
  const chart = object('source.toolkit.fluxcd.io/v1', 'HelmChart', 'default-web', {
    ...{ chart: './web', interval: '1h', sourceRef: { kind: 'GitRepository', name: 'app' } },
  })
  await scene.create(chart)
  return scene
}

test('a HelmRelease of a runner is planned by it, from what the hub has found at the head once', async () => {
  const scene = await behindRelease('large')
  try {
    await scene.fetched(revision('a'))
    const [order, ...others] = await scene.open()
    assert.deepEqual([order?.ref.name, order?.work.type, others], ['web', 'release', []])
    const { release } = order!.work as ReleaseWork
    assert.deepEqual([release.base.values, release.head.values], [{ size: 'small' }, { size: 'large' }])
    assert.deepEqual(
      [release.chart?.base, release.chart?.head],
      [artifact('app', `main@sha1:${sha('0')}`), artifact('app-pr-7', revision('a'))],
    )
    assert.deepEqual(release.chart?.now.metadata, { namespace: 'default', name: 'default-web', generation: 1 })
    await scene.world.advance(30_000)
    assert.deepEqual(
      [scene.builds(), scene.plans, scene.forge.comments.length],
      [1, [], 0],
      'passes that wait build nothing',
    )
    assert.deepEqual((await scene.request()).status?.awaited?.releases, [{ namespace: 'default', name: 'web' }])

    await scene.complete({ found: { ...planned, cluster: access, note: blindNote } })
    assert.match(
      scene.forge.comments[0]!.text,
      /\| `HelmRelease\/default\/web` \| `ConfigMap\/default\/aurora` \| `~1`, as rendered without values/,
    )
    assert.deepEqual(scene.statuses(), ['pending: Planning', 'success: 2 units: ~2'])
  } finally {
    await scene.world.close()
  }
})

test('a release waits until its runner has room for an order, and nothing is built meanwhile', async () => {
  const scene = await behindRelease('large')
  try {
    const release = { base: {}, head: {}, configMaps: { base: [], head: [] } } as unknown as ReleaseWork['release']
    const other = { ref: ref('helm.toolkit.fluxcd.io', 'HelmRelease', 'other'), uid: 'other', by: 'another' }
    for (let at = 0; at < 10; at++) await scene.orders.place(access, { ...other, work: { type: 'release', release } })
    await scene.fetched(revision('a'))
    assert.deepEqual([scene.builds(), scene.forge.comments.length], [1, 0])
    await scene.complete({ found: { type: 'untouched' } })
    const open = await scene.open()
    assert.deepEqual([scene.builds(), open.map(({ ref: { name } }) => name)], [2, ['web']])
  } finally {
    await scene.world.close()
  }
})

test('an order for a release that has expired is placed once more, and after three minutes the comment waits no longer', async () => {
  const scene = await behindRelease('large')
  try {
    await scene.fetched(revision('a'))
    await scene.world.advance(orderMs - minute / 2)
    assert.deepEqual([scene.builds(), (await scene.open()).length], [2, 1])
    await scene.world.advance(2 * minute)
    assert.match(scene.forge.comments[0]!.text, /HelmRelease\/default\/web` .* which has not responded in time/)
    assert.equal(scene.statuses().at(-1), 'success: 2 units: ~1, 1 not planned')
  } finally {
    await scene.world.close()
  }
})

for (const [what, size, takes, open] of [
  ['its runner is too old for', 'large', 'plan,head', /which is too old to plan a HelmRelease of a pull request/],
  ['is too large for an order', 'x'.repeat(300_000), 'plan,head,release', /it is too large to be planned by a runner/],
] as const)
  test(`a HelmRelease that ${what} is listed as not planned at once`, async () => {
    const scene = await behindRelease(size, takes)
    try {
      await scene.fetched(revision('a'))
      assert.match(scene.forge.comments[0]!.text, open)
      assert.deepEqual([scene.statuses().at(-1), await scene.open()], ['success: 2 units: ~1, 1 not planned', []])
    } finally {
      await scene.world.close()
    }
  })
