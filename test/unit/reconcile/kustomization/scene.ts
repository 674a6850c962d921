import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import { openPgp } from '../../../../lib/compose/open-pgp.ts'
import { blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import type { Kustomization, KustomizationSpec } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { refOf } from '../../../../lib/foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../../../lib/foundations/kinds/plan.ts'
import { isFluxKind } from '../../../../lib/foundations/rules/hub-placement.ts'
import type { EmbeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { SignatureDemand } from '../../../../lib/reconcile/approvals/signatures.ts'
import { type CachedBuild, createBuildCache } from '../../../../lib/reconcile/kustomization/build/build-cache.ts'
import type { DecryptionPorts } from '../../../../lib/reconcile/kustomization/decryption/load-decryptor.ts'
import { kustomizationReconciler } from '../../../../lib/reconcile/kustomization/kustomization.ts'
import type { KustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { defaultKustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { resourceSetReconciler } from '../../../../lib/reconcile/resource-set/resource-set.ts'
import { dryRunPass } from '../../../../lib/reconcile/runtime/dry-run-pass.ts'
import { enqueueDependents } from '../../../../lib/reconcile/runtime/news.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { unsharedReads } from '../../../../lib/reconcile/runtime/shared-reads.ts'
import { refetchThrough } from '../../../../lib/reconcile/source-artifact/read-artifact.ts'
import type { Download } from '../../../../lib/reconcile/source-artifact/unpacked.ts'
import { archive, sourceIgnores } from '../../../../lib/sources/artifact/archive.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { hubAsCluster, openWorld, shown, type World } from '../world.ts'

export const author = { fieldManager: 'someone' }

export const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\ndata:\n  value: "${value}"\n`

/** A hub with a source and Kustomizations that apply to the hub itself, or to what `cluster` makes of it. */
export interface Scene extends World {
  /** Gives the source `app` these files at a revision, and has its Kustomizations told. */
  push(revision: string, files: Readonly<Record<string, string>>): Promise<void>
  /** Creates a Kustomization of the source, and lets it be reconciled. */
  kustomize(name: string, spec?: Partial<KustomizationSpec>): Promise<void>
  read(name: string): Promise<Kustomization | undefined>
  /** What a pass would change. */
  preview(name: string): Promise<PreviewedPlan>
  /** Conditions, a line each. */
  conditions(name: string): Promise<readonly string[]>
  /** Ids in the inventory. */
  inventory(name: string): Promise<readonly string[]>
  /** Values of the ConfigMaps that are there, by name. */
  values(): Promise<Readonly<Record<string, unknown>>>
}

export interface Staging {
  readonly cluster?: (hub: ClusterClient) => ClusterClient
  readonly settings?: Partial<KustomizationSettings>
  readonly cloudKeys?: DecryptionPorts
  /** As of a runner that demands signed approvals. */
  readonly signatures?: SignatureDemand
  /** Fetches the artifacts of ExternalArtifacts. */
  readonly download?: Download
  /** Hears of each build that is really made, by the folder of what it made. */
  readonly onBuild?: (folder: string) => void
  /** ResourceSets are reconciled, too. */
  readonly withSets?: true
}

const nothingToDownload: Download = async url => {
  throw new Error(`nothing is served at ${url}`)
}

export const onStage = async (
  {
    cluster = hub => hub,
    settings,
    cloudKeys,
    signatures,
    download = nothingToDownload,
    onBuild = () => {},
    withSets,
  }: Staging,
  story: (scene: Scene) => Promise<void>,
) => {
  let reconcilers: readonly Reconciler<KubernetesObject>[] = []
  let preview: Reconciler<Kustomization>['preview']
  const world = await openWorld(ports => {
    const hubCluster = cluster(hubAsCluster(ports))
    const clusters = { fromKubeconfig: () => hubCluster, fromConfigMap: async () => hubCluster }
    const platform = ports as unknown as EmbeddedPlatform
    const given = {
      ...platform,
      hub: ports.hub,
      references: ports.references,
      clusters,
      hubCluster: () => hubCluster,
      isOfHub: isFluxKind,
      hasReferrers: async () => false,
      cloudKeys,
      signatures,
      cached: toldOf(createBuildCache(platform), onBuild),
      openPgp,
      download,
      refetch: refetchThrough(ports),
    }
    const reconciler = kustomizationReconciler(given, {
      ...defaultKustomizationSettings,
      pruneGuard: false,
      ...settings,
    })
    preview = reconciler.preview
    reconcilers = [reconciler as Reconciler<KubernetesObject>]
    return withSets ? [...reconcilers, resourceSetReconciler(given) as Reconciler<KubernetesObject>] : reconcilers
  })
  const { hub, platform, settle } = world
  const source = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'app', namespace: 'default' },
    spec: { url: 'https://git.example.com/app', interval: '10m' },
  }
  const read = (name: string) => hub.get<Kustomization>(kustomizationRef(name))
  try {
    await hub.create(source, author)
    await story({
      ...world,
      async push(revision, files) {
        const entries = Object.entries(files)
        const tree = new Map(entries.map(([path, text]) => [path, { content: Buffer.from(text), executable: false }]))
        const { content, digest } = await archive(tree, sourceIgnores(tree))
        const path = `gitrepository/default/app/${revision}.tar.gz`
        const url = `http://hub/${path}`
        const artifact = {
          digest,
          path,
          url,
          revision: `main@sha1:${revision}`,
          lastUpdateTime: '2026-01-01T00:00:00Z',
        }
        await platform.artifacts.put(blobNameOf(artifact), content)
        const status = { subresource: 'status', ...author } as const
        await hub.patch(refOf(source), { type: 'merge', patch: { status: { artifact } } }, status)
        await enqueueDependents(world.ports, reconcilers, refOf(source))
        await settle()
      },
      async kustomize(name, spec) {
        const sourceRef = { kind: 'GitRepository', name: 'app' }
        await hub.create(
          {
            apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
            kind: 'Kustomization',
            metadata: { name, namespace: 'default' },
            spec: { interval: '10m', prune: true, sourceRef, ...spec },
          },
          author,
        )
        await settle()
      },
      read,
      preview: async name => {
        const { signal } = new AbortController()
        const confine = async (one: ClusterClient) => one
        const pass = dryRunPass<Kustomization>({ signal, startedAt: 0, dryRun: unsharedReads(signal), confine })
        return preview!((await read(name))!, pass)
      },
      conditions: async name => shown(await read(name)),
      inventory: async name => ((await read(name))?.status?.inventory?.entries ?? []).map(({ id }) => id).sort(),
      async values() {
        const { items } = await hub.list<KubernetesObject>({ group: '', kind: 'ConfigMap', namespace: 'default' })
        return Object.fromEntries(
          items.map(({ metadata, data }) => [metadata.name, (data as { value?: string })?.value]),
        )
      },
    })
  } finally {
    await world.close()
  }
}

/** What a cluster that is away answers. */
export const gone = () => new ClusterError('unreachable', 'Get "https://10.0.0.1/api": dial tcp: i/o timeout')

/** Fails the calls of a cluster for as long as the switch is on. */
export const failing = (methods: readonly (keyof ClusterClient)[]) => {
  const state = { on: false, failures: 0 }
  const cluster = (real: ClusterClient): ClusterClient =>
    new Proxy(real, {
      get(target, property: keyof ClusterClient) {
        const method = target[property]
        if (typeof method !== 'function' || !methods.includes(property)) return method
        return async (...args: never[]) => {
          if (state.on) {
            state.failures++
            throw gone()
          }
          return (method as (...args: never[]) => Promise<unknown>)(...args)
        }
      },
    })
  return { state, cluster }
}

const toldOf =
  (cached: CachedBuild, onBuild: (folder: string) => void): CachedBuild =>
  (inputs, render) =>
    cached(inputs, async (files, memory) => {
      const rendered = await render(files, memory)
      onBuild(rendered.manifests[0]?.origin.split('/')[0] ?? '')
      return rendered
    })
