/** Rollouts over clusters that are simulated, with the real store, loop and reconciler of Rollouts. */
import { createHash } from 'node:crypto'
import { artifactOf, blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { pinAnnotation, type Rollout } from '../../../../lib/foundations/kinds/rollout.ts'
import type { RolloutRun, RunOrder } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { isConditionTrue } from '../../../../lib/foundations/rules/conditions.ts'
import { clusterUnreachable, describeOutage } from '../../../../lib/foundations/rules/outage.ts'
import { sha256Digest } from '../../../../lib/foundations/rules/sha256.ts'
import { everyNamespace } from '../../../../lib/hub/references/references.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { approvePlansIn, decideAbout, markApplied } from '../../../../lib/reconcile/approvals/plan-book.ts'
import { kustomizationAddress } from '../../../../lib/reconcile/kustomization/kustomization-address.ts'
import type { GatePorts } from '../../../../lib/reconcile/rollout/judge-gate.ts'
import { approvalsIn } from '../../../../lib/reconcile/rollout/observe.ts'
import { defaultRolloutSettings, rolloutReconciler } from '../../../../lib/reconcile/rollout/rollout.ts'
import { enqueueDependents } from '../../../../lib/reconcile/runtime/news.ts'
import type { Outcome, Pass, Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { configDataOf, pinnedArtifact } from '../../../../lib/reconcile/source-artifact/pinned-artifact.ts'
import { refetchThrough } from '../../../../lib/reconcile/source-artifact/read-artifact.ts'
import { planning } from '../../../../lib/reconcile/windows/plan-proposed.ts'
import type { Restraint } from '../../../../lib/reconcile/windows/restraint.ts'
import { rolloutsOfUnits } from '../../../../lib/reconcile/windows/rolled-out.ts'
import { awaiting, restrained } from '../../../../lib/reconcile/windows/waiting.ts'
import { openWorld, type WorldPorts } from '../world.ts'

const fleet = 'fleet.keelson.dev'
const sourceRef: ObjectRef = {
  group: 'source.toolkit.fluxcd.io',
  kind: 'GitRepository',
  namespace: 'apps',
  name: 'app',
}
const unitRef = (name: string, namespace = 'apps'): ObjectRef => ({
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  namespace,
  name,
})
const by = { fieldManager: 'test' }

/** What a simulated cluster does with a revision. */
export type Fate = 'ready' | 'failed' | 'unreachable' | 'unplanned'

interface SceneOptions {
  /** Names of clusters by tier, each with as many units. */
  readonly tiers: Readonly<Record<string, readonly string[]>>
  readonly unitsEach?: number
  readonly stages: Rollout['spec']['stages']
  readonly more?: Partial<Rollout['spec']>
  /** Name of a ConfigMap that units build with. */
  readonly config?: string
  readonly fateOf?: (cluster: string, revision: string) => Fate
  readonly query?: GatePorts['query']
  /** What the reconciler of Rollouts gets for the hub. */
  readonly through?: (hub: Hub) => Hub
  /** Sees the passes over the Rollout. */
  readonly around?: (pass: () => Promise<Outcome<Rollout>>) => Promise<Outcome<Rollout>>
  /** The Rollout is there before its units. */
  readonly isFirst?: boolean
  readonly left?: Parameters<typeof openWorld>[1]
}

/** A revision that a unit has applied, at a time of the scene's clock. */
export interface Applied {
  readonly unit: string
  readonly cluster: string
  readonly revision: string
  readonly at: number
}

export const openScene = async ({ tiers, stages, more = {}, unitsEach = 1, ...options }: SceneOptions) => {
  const applied: Applied[] = []
  /** What is on a cluster: part of the plans of its units. */
  const live: Record<string, string> = {}
  /** The data of their ConfigMap that units have built with, by name. */
  const configs: Record<string, unknown> = {}
  const fates = { of: options.fateOf ?? (() => 'ready' as Fate) }
  const clusterOf = (unit: KubernetesObject) => (unit as Kustomization).spec.kubeConfig!.secretRef!.name
  const units = (ports: WorldPorts): Reconciler<Kustomization> => {
    const reconcile = async (
      unit: Kustomization,
      pass: Pass<Kustomization>,
      { approval }: Restraint,
    ): Promise<Outcome<Kustomization>> => {
      const place = { ...sourceRef, name: unit.spec.sourceRef.name }
      const source = await ports.references.anywhere<GitRepository>(unit, sourceRef, place, everyNamespace)
      const artifact = (await pinnedArtifact(unit, ports.references)) ?? (source && artifactOf(source))
      if (!artifact) return { type: 'failed', reason: 'ArtifactFailed', message: 'no artifact', afterMs: 60_000 }
      const { revision } = artifact
      if (options.config !== undefined)
        configs[unit.metadata.name] = (await configDataOf(unit, ports.references)(options.config))?.value
      const status = { lastAttemptedRevision: revision }
      const cluster = clusterOf(unit)
      if (approval && (approval.onPlan || unit.status?.lastAppliedRevision !== revision)) {
        if (fates.of(cluster, revision) === 'unplanned')
          return { type: 'failed', reason: 'BuildFailed', message: 'the build failed', afterMs: 60_000 }
        const change = {
          apiVersion: 'v1',
          action: 'created',
          ref: { group: '', kind: 'ConfigMap', namespace: 'x', name: revision },
        } as const
        const decision = await decideAbout(
          {
            ...{ unit, revision, required: approval, isDryRun: false },
            manifests: sha256Digest(`${revision} on ${live[cluster]}`),
            planned: { changes: [change], unchanged: 0, failures: [] },
            disclosure: { fieldManager: 'test', isHidden: () => false, masked: text => text },
          },
          ports,
        )
        if (decision.type !== 'approved') return awaiting(unit, decision, pass)
        await markApplied(decision.plan, ports)
      }
      const fate = fates.of(cluster, revision)
      if (fate === 'failed')
        return { type: 'failed', reason: 'HealthCheckFailed', message: 'sick', status, afterMs: 60_000 }
      if (fate === 'unreachable') {
        const message = describeOutage({ server: `https://${cluster}`, problem: 'connection refused' })
        return { type: 'failed', reason: clusterUnreachable, message, status, afterMs: 60_000 }
      }
      const routine = unit.status?.lastAppliedRevision === revision && isConditionTrue(unit.status?.conditions, 'Ready')
      if (!routine) applied.push({ unit: unit.metadata.name, cluster, revision, at: ports.clock.now() })
      const message = `Applied revision: ${revision}`
      pass.note({ revision })
      return {
        type: 'done',
        reason: 'ReconciliationSucceeded',
        message,
        routine,
        status: { ...status, lastAppliedRevision: revision },
      }
    }
    return {
      ...kustomizationAddress,
      isVisited: false,
      manager: 'simulated',
      passTimeoutOf: () => 60_000,
      ...restrained<Kustomization>(
        { ...ports, rollouts: rolloutsOfUnits(refetchThrough(ports)) },
        { intervalOf: () => 24 * 60 * 60_000, reconcile, finalize: async () => undefined, planning },
      ),
    }
  }
  const rollouts = (ports: WorldPorts): Reconciler<Rollout> => {
    const hub = options.through?.(ports.hub) ?? ports.hub
    const { query = async () => ({ status: 200, body: null, value: null }) } = options
    const gates = { query, approvals: approvalsIn(ports.hub), approvePlans: approvePlansIn(hub) }
    const reconciler = rolloutReconciler(
      { ...ports, hub, refetch: refetchThrough(ports), gates },
      { ...defaultRolloutSettings, noCrossNamespaceRefs: false, buildLimits: {} },
    )
    const { around = pass => pass() } = options
    return { ...reconciler, reconcile: (rollout, pass) => around(() => reconciler.reconcile(rollout, pass)) }
  }
  const reconcilers = (ports: WorldPorts) =>
    [units(ports), rollouts(ports)] as unknown as readonly Reconciler<KubernetesObject>[]
  const world = await openWorld(reconcilers, options.left)
  const { hub, platform } = world
  const create = (object: object) => hub.create(object as KubernetesObject, by)

  const publish = async (
    version: string,
    annotations: Readonly<Record<string, string>> = {},
    name = sourceRef.name,
  ): Promise<void> => {
    const ref = { ...sourceRef, name }
    const content = Buffer.from(`files of ${version}`)
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
    const path = `gitrepository/apps/${name}/${version}.tar.gz`
    await platform.artifacts.put(blobNameOf({ path, digest }), content)
    const artifact = {
      digest,
      path,
      revision: version,
      lastUpdateTime: '2026-01-01T00:00:00Z',
      url: 'http://hub/a',
      size: 1,
    }
    await hub.patch(ref, { type: 'merge', patch: { metadata: { annotations } } }, by)
    await hub.patch(ref, { type: 'merge', patch: { status: { artifact } } }, { ...by, subresource: 'status' })
    await enqueueDependents(world.ports, reconcilers(world.ports), ref)
  }
  const addCluster = async (name: string, tier: string): Promise<void> => {
    await create({
      apiVersion: `${fleet}/v1alpha1`,
      kind: 'Cluster',
      metadata: { name, namespace: 'apps', labels: { tier } },
      spec: { kubeConfig: { secretRef: { name } } },
    })
    for (let at = 0; at < unitsEach; at++)
      await create({
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name: unitsEach === 1 ? name : `${name}-${at}`, namespace: 'apps' },
        spec: {
          interval: '24h',
          prune: true,
          path: './',
          sourceRef: { kind: 'GitRepository', name: 'app' },
          kubeConfig: { secretRef: { name } },
        },
      })
  }
  const runRef = (name: string): ObjectRef => ({ group: fleet, kind: 'RolloutRun', namespace: 'apps', name })
  const rolloutRef: ObjectRef = { group: fleet, kind: 'Rollout', namespace: 'apps', name: 'web' }

  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } })
  await create({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'app', namespace: 'apps' },
    spec: { url: 'https://example.com/app', interval: '1h' },
  })
  await publish('v1')
  const addClusters = async () => {
    for (const [tier, names] of Object.entries(tiers)) for (const name of names) await addCluster(name, tier)
  }
  if (!options.isFirst) await addClusters()
  const spec = { sources: [{ kind: 'GitRepository', name: 'app' }], ...(stages && { stages }), ...more }
  await create({ apiVersion: `${fleet}/v1alpha1`, kind: 'Rollout', metadata: { name: 'web', namespace: 'apps' }, spec })
  await world.settle()
  if (options.isFirst) await addClusters()

  return {
    ...world,
    applied,
    fates,
    live,
    configs,
    publish,
    addCluster,
    rolloutRef,
    run: async (name: string) => (await hub.get<RolloutRun>(runRef(name)))!,
    rollout: async () => (await hub.get<Rollout>(rolloutRef))!,
    unit: async (name: string) => (await hub.get<Kustomization>(unitRef(name)))!,
    pinOf: async (name: string) => (await hub.get(unitRef(name)))?.metadata.annotations?.[pinAnnotation]?.split('@')[0],
    order: (name: string, order: RunOrder) =>
      hub.patch(runRef(name), { type: 'merge', patch: { spec: { order } } }, by),
    /** The revision that each unit has applied last. */
    async revisions(): Promise<Readonly<Record<string, string | undefined>>> {
      const { items } = await hub.list<Kustomization>({ ...unitRef(''), namespace: 'apps' })
      return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status?.lastAppliedRevision]))
    },
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

export const tier = (name: string): { readonly name: string; readonly clusterSelector: object } => ({
  name,
  clusterSelector: { matchLabels: { tier: name } },
})
