/** A pull request whose units are planned by the test, in a forge. */
import type { OpenBuilds, PlannedHead } from '../../../../lib/foundations/fleet/head-plan.ts'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PullRequest } from '../../../../lib/foundations/kinds/pull-request.ts'
import { areTaken } from '../../../../lib/hub/runners/order-takers.ts'
import { createOrders } from '../../../../lib/hub/runners/orders.ts'
import { connections } from '../../../../lib/platform/http/connections.ts'
import { pullRequestReconciler } from '../../../../lib/reconcile/pull-request/pull-request.ts'
import { leftToRunner } from '../../../../lib/reconcile/runner/left-to-runner.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { forgeServer } from '../../../bed/forge.ts'
import { openWorld, shown } from '../world.ts'

export const by = { fieldManager: 'test' }
export const minute = 60_000
export const sha = (digit: string) => digit.repeat(40)
export const ref = (group: string, kind: string, name: string) => ({ group, kind, namespace: 'default', name })
export const requestRef = ref('fleet.keelson.dev', 'PullRequest', 'hook-7')
export const headRef = ref('source.toolkit.fluxcd.io', 'GitRepository', 'app-pr-7')
export const sourceRef = ref('source.toolkit.fluxcd.io', 'GitRepository', 'app')
export const object = (apiVersion: string, kind: string, name: string, spec: object, namespace = 'default') =>
  ({ apiVersion, kind, metadata: { name, namespace }, spec }) as KubernetesObject

export const artifact = (name: string, revision: string) => ({
  ...{ digest: `sha256:${'0'.repeat(64)}`, path: `gitrepository/default/${name}/a.tar.gz`, revision },
  ...{ lastUpdateTime: '2026-01-01T00:00:00Z', url: 'http://hub/a', size: 1 },
})

export const planned: PlannedHead = {
  ...{ type: 'planned', counts: { configured: 1 }, refused: [], policies: [] },
  changes: [{ action: 'configured', kind: 'ConfigMap', name: 'default/a', fields: [], moreFields: 0 }],
}

/** A pull request whose sources are fetched, and units planned, by the test. */
export const openScene = async ({
  provider = {},
  source = {},
  onHub,
}: {
  provider?: object
  source?: object
  /** What the repository has of units that apply to the hub. */
  onHub?: OpenBuilds
} = {}) => {
  const forge = await forgeServer('gitea')
  const url = `${forge.origin}/org/app`
  const plans: { readonly unit: string; readonly revision: string }[] = []
  const woken: string[] = []
  /** How often what applies to the hub was built for it. */
  let builds = 0
  const world = await openWorld(ports => [
    pullRequestReconciler({
      ...{ hub: ports.hub, references: ports.references, clock: ports.clock, orders: createOrders(ports) },
      isElsewhere: leftToRunner(ports.references),
      areTaken: type => areTaken(type, ports.hub),
      waker: { send: async place => void woken.push(place) },
      connections: connections({ forbids: () => undefined }),
      kustomizations: {
        plan: async ({ metadata }, { revision }) => {
          plans.push({ unit: metadata.name, revision })
          return metadata.name === 'same' ? { type: 'untouched' } : { ...planned, ...(onHub && { onHub }) }
        },
        onHub: async () => {
          builds++
          return onHub
        },
        openBase: async () => [],
      },
      planRelease: async ({ unit: { metadata }, chart }) => {
        plans.push({ unit: metadata.name, revision: chart!.head.revision })
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
    ...{ world, hub, forge, plans, woken, unit, create, stored, pass, head },
    builds: () => builds,
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

export const revision = (digit: string) => `refs/pull/7/head@sha1:${sha(digit)}`
