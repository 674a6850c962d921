import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PullRequest } from '../../../../lib/foundations/kinds/pull-request.ts'
import { connections } from '../../../../lib/platform/http/connections.ts'
import type { HeadPlan } from '../../../../lib/reconcile/pull-request/head-plan.ts'
import { pullRequestReconciler } from '../../../../lib/reconcile/pull-request/pull-request.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { forgeServer } from '../../../bed/forge.ts'
import { openWorld, shown } from '../world.ts'

const by = { fieldManager: 'test' }
const minute = 60_000
const sha = (digit: string) => digit.repeat(40)
const ref = (group: string, kind: string, name: string) => ({ group, kind, namespace: 'default', name })
const requestRef = ref('fleet.keelson.dev', 'PullRequest', 'hook-7')
const headRef = ref('source.toolkit.fluxcd.io', 'GitRepository', 'app-pr-7')
const sourceRef = ref('source.toolkit.fluxcd.io', 'GitRepository', 'app')
const object = (apiVersion: string, kind: string, name: string, spec: object, namespace = 'default') =>
  ({ apiVersion, kind, metadata: { name, namespace }, spec }) as KubernetesObject

const artifact = (name: string, revision: string) => ({
  ...{ digest: `sha256:${'0'.repeat(64)}`, path: `gitrepository/default/${name}/a.tar.gz`, revision },
  ...{ lastUpdateTime: '2026-01-01T00:00:00Z', url: 'http://hub/a', size: 1 },
})

const planned: HeadPlan = {
  ...{ type: 'planned', counts: { configured: 1 }, refused: [], policies: [] },
  changes: [{ action: 'configured', kind: 'ConfigMap', name: 'default/a', fields: [], moreFields: 0 }],
}

/** A pull request whose sources are fetched, and units planned, by the test. */
const openScene = async ({ provider = {}, source = {} }: { provider?: object; source?: object } = {}) => {
  const forge = await forgeServer('gitea')
  const url = `${forge.origin}/org/app`
  const plans: { readonly unit: string; readonly revision: string }[] = []
  const world = await openWorld(ports => [
    pullRequestReconciler({
      ...{ hub: ports.hub, references: ports.references, clock: ports.clock, isElsewhere: async () => false },
      connections: connections({ forbids: () => undefined }),
      kustomizations: {
        plan: async ({ metadata }, { revision }) => {
          plans.push({ unit: metadata.name, revision })
          return metadata.name === 'same' ? { type: 'untouched' } : planned
        },
        openBase: async () => [],
      },
      planRelease: async ({ unit: { metadata }, sources }) => {
        plans.push({ unit: metadata.name, revision: sources[0]!.head.revision })
        return planned
      },
    }) as unknown as Reconciler<KubernetesObject>,
  ])
  const { hub } = world
  const create = (made: KubernetesObject) => hub.create(made, by)
  await create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'forge', namespace: 'default' },
    data: { token: Buffer.from('secret').toString('base64') },
  } as KubernetesObject)
  await create(
    object('notification.toolkit.fluxcd.io/v1beta3', 'Provider', 'forge', {
      type: 'gitea',
      address: url,
      secretRef: { name: 'forge' },
      ...provider,
    }),
  )
  await create(
    object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'app', {
      url,
      interval: '1h',
      ignore: '*.md',
      verify: { secretRef: { name: 'keys' } },
      ref: { branch: 'main' },
      ...source,
    }),
  )
  const stored = async (to: typeof headRef, revision: string | undefined, message = 'stored artifact') => {
    const found = (await hub.get<GitRepository>(to))!
    const condition = {
      type: 'Ready',
      status: revision ? 'True' : 'False',
      reason: revision ? 'Succeeded' : 'GitOperationFailed',
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const status = {
      ...{ conditions: [condition], observedGeneration: found.metadata.generation },
      lastHandledReconcileAt: found.metadata.annotations?.[requestedAtAnnotation],
      ...(revision && { artifact: artifact(to.name, revision) }),
    }
    await hub.patch(to, { type: 'merge', patch: { status } }, { ...by, subresource: 'status' })
  }
  await stored(sourceRef, `main@sha1:${sha('0')}`)
  const unit = (name: string, spec: object = {}) =>
    create(
      object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', name, {
        interval: '1h',
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'app' },
        ...spec,
      }),
    )
  const spec: PullRequest['spec'] = {
    ...{ receiver: 'hook', provider: 'forge', number: '7', ref: 'refs/pull/7/head', commit: sha('a'), base: 'main' },
    ...{ author: 'ada', state: 'Open', sources: [{ name: 'app', head: { name: 'app-pr-7' } }] },
  }
  await create(object('fleet.keelson.dev/v1alpha1', 'PullRequest', 'hook-7', spec))
  const pass = async () => {
    await world.loop.handle({ stage: 'apply', ref: requestRef })
    await world.settle()
  }
  const head = () => hub.get<GitRepository>(headRef)
  return {
    ...{ world, hub, forge, plans, unit, stored, pass, head },
    /** Lets the head be fetched, and planned. */
    fetched: async (revision: string | undefined, message?: string) => {
      await stored(headRef, revision, message)
      await world.advance(minute)
    },
    pushed: async (commit: string) => {
      await hub.patch(requestRef, { type: 'merge', patch: { spec: { commit } } }, by)
      await world.advance(minute)
    },
    ready: async () => shown(await hub.get(requestRef)),
    close: async () => {
      await hub.patch(requestRef, { type: 'merge', patch: { spec: { state: 'Closed' } } }, by)
      await world.advance(minute)
    },
  }
}

const revision = (digit: string) => `refs/pull/7/head@sha1:${sha(digit)}`

test('the head is fetched as its source is, planned for its units, and told once; a new head edits the comment; its end takes all away', async () => {
  const scene = await openScene()
  try {
    await scene.unit('app')
    await scene.unit('same')
    await scene.unit('suspended', { suspend: true })
    await scene.unit('other', { sourceRef: { kind: 'GitRepository', name: 'another' } })
    await scene.pass()
    const { spec } = (await scene.head())!
    const source = (await scene.hub.get<GitRepository>(sourceRef))!
    assert.deepEqual(spec, { ...source.spec, interval: '24h', suspend: false, ref: { name: 'refs/pull/7/head' } })
    assert.deepEqual(scene.plans, [])

    await scene.fetched(revision('a'))
    assert.deepEqual(scene.plans.map(({ unit }) => unit).sort(), ['app', 'same'])
    assert.equal(scene.forge.comments.length, 1)
    assert.match(scene.forge.comments[0]!.text, /Plan of `aaaaaaaaaaaa` for `main`: 1 unit: ~1/)
    assert.deepEqual(
      scene.forge.statuses.map(({ commit, sent }) => [commit, sent.state]),
      [
        [sha('a'), 'pending'],
        [sha('a'), 'success'],
      ],
    )

    await scene.pass()
    await scene.world.advance(60 * minute)
    assert.equal(scene.plans.length, 2, 'nothing is new')

    await scene.pushed(sha('b'))
    await scene.fetched(revision('b'))
    assert.equal(scene.plans.length, 4)
    assert.equal(scene.forge.comments.length, 1)
    assert.match(scene.forge.comments[0]!.text, /Plan of `bbbbbbbbbbbb`/)

    await scene.close()
    assert.equal(await scene.head(), undefined)
    assert.equal(await scene.hub.get(requestRef), undefined)
    assert.ok(await scene.hub.get(sourceRef))
  } finally {
    await scene.world.close()
  }
})

test('a head that is not the reported one yet is fetched again, and planned as it is in the end', async () => {
  const scene = await openScene()
  try {
    await scene.unit('app')
    await scene.pass()
    const requests = new Set<string | undefined>()
    for (let i = 0; i < 8 && scene.plans.length === 0; i++) {
      requests.add((await scene.head())?.metadata.annotations?.[requestedAtAnnotation])
      await scene.fetched(revision('c'))
    }
    assert.equal(requests.size, 6)
    assert.deepEqual(scene.plans, [{ unit: 'app', revision: revision('c') }])
    assert.equal(scene.forge.statuses.at(-1)?.commit, sha('c'))
  } finally {
    await scene.world.close()
  }
})

test('a head that can not be fetched is told by its reason alone', async () => {
  const scene = await openScene()
  try {
    await scene.pass()
    await scene.fetched(undefined, 'the signature of internal.example.com is not trusted')
    assert.match(scene.forge.comments[0]!.text, /could not fetch the head: `GitOperationFailed`/)
    assert.doesNotMatch(scene.forge.comments[0]!.text, /internal/)
    assert.equal(scene.forge.statuses.at(-1)?.sent.state, 'failure')
  } finally {
    await scene.world.close()
  }
})

for (const [what, provider, message] of [
  ['of another repository', { address: 'https://git.example.com/mallory/app' }, /is not of the repository/],
  ['that can not comment', { type: 'slack' }, /has the type slack/],
] as const)
  test(`nothing is planned nor published through a Provider ${what}`, async () => {
    const scene = await openScene({ provider })
    try {
      await scene.unit('app')
      await scene.pass()
      await scene.fetched(revision('a'))
      assert.deepEqual([scene.plans, scene.forge.requests], [[], []])
      assert.match((await scene.ready()).join(), message)
    } finally {
      await scene.world.close()
    }
  })

test('what a forge refuses fails the pass, without the token', async () => {
  const scene = await openScene()
  try {
    await scene.unit('app')
    await scene.pass()
    scene.forge.refusals.push({ status: 403, json: { message: 'token secret may not' } })
    await scene.fetched(revision('a'))
    assert.match(
      scene.world.lines.map(line => JSON.stringify(line)).join('\n'),
      /request failed with status code 403: token \*\*\*\*\* may not/,
    )
    assert.deepEqual(scene.forge.statuses.at(-1)?.sent.state, 'success', 'it is tried again')
  } finally {
    await scene.world.close()
  }
})

test('a GitRepository with the name of the head that is not the hub’s is left alone', async () => {
  const scene = await openScene()
  try {
    await scene.hub.create(
      object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'app-pr-7', {
        url: 'https://git.example.com/own',
        interval: '1h',
      }),
      by,
    )
    await scene.pass()
    assert.match(scene.forge.comments[0]!.text, /`NameConflict`/)
    await scene.close()
    assert.equal((await scene.head())?.spec.url, 'https://git.example.com/own')
  } finally {
    await scene.world.close()
  }
})
