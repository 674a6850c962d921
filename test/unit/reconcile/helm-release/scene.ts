import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { ActionDeps, ActionOutcome } from '../../../../lib/clusters/helm-release/action.ts'
import { install } from '../../../../lib/clusters/helm-release/install.ts'
import { rollback } from '../../../../lib/clusters/helm-release/rollback.ts'
import { test as testRelease } from '../../../../lib/clusters/helm-release/test.ts'
import { uninstall } from '../../../../lib/clusters/helm-release/uninstall.ts'
import { unlock } from '../../../../lib/clusters/helm-release/unlock.ts'
import { upgrade } from '../../../../lib/clusters/helm-release/upgrade.ts'
import { chartFunctions } from '../../../../lib/engines/helm/functions.ts'
import { newKey } from '../../../../lib/engines/template/certificates/private-key.ts'
import { blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import type { HelmRelease, HelmReleaseSpec } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { sha256Digest } from '../../../../lib/foundations/rules/sha256.ts'
import type { EmbeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { SignatureDemand } from '../../../../lib/reconcile/approvals/signatures.ts'
import { helmReleaseReconciler } from '../../../../lib/reconcile/helm-release/helm-release.ts'
import {
  defaultHelmReleaseSettings,
  type HelmReleaseSettings,
} from '../../../../lib/reconcile/helm-release/settings.ts'
import { enqueueDependents } from '../../../../lib/reconcile/runtime/news.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../../../../lib/reconcile/source-artifact/read-artifact.ts'
import { tarGzip } from '../../../bed/tar-gzip.ts'
import { hubAsCluster, openWorld, type World, type WorldPorts } from '../world.ts'

export const author = { fieldManager: 'someone' }

export const releaseRef = (name: string): ObjectRef => ({
  group: 'helm.toolkit.fluxcd.io',
  kind: 'HelmRelease',
  namespace: 'default',
  name,
})

export const chartRef = (name: string): ObjectRef => ({
  ...{ group: 'source.toolkit.fluxcd.io', kind: 'HelmChart', namespace: 'default', name },
})

/** The clock stands still while a pass works: a wait looks once, and the next pass goes on with it. */
const atOnce =
  <R>(action: (deps: ActionDeps, request: R) => Promise<ActionOutcome>) =>
  (deps: ActionDeps, request: R): Promise<ActionOutcome> =>
    action({ ...deps, maxPollMs: 0 }, request)

/** A hub with a HelmChart and HelmReleases that go to the hub itself, or to what `cluster` makes of it. */
export interface Scene extends World {
  /** Gives the HelmChart `app`, or another, a version of a chart, and has its HelmReleases told. */
  publish(version: string, chart?: string, more?: Readonly<Record<string, string>>): Promise<void>
  /** Creates a HelmRelease of the HelmChart, and lets it be reconciled. */
  release(name: string, spec?: Partial<HelmReleaseSpec>): Promise<void>
  read(name: string): Promise<HelmRelease | undefined>
}

/** A ConfigMap that says the version, and a ServiceAccount. */
const files = (version: string) => ({
  'app/Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\n`,
  'app/values.yaml': 'greeting: hello\n',
  'app/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {version: "{{ .Chart.Version }}", greeting: "{{ .Values.greeting }}"}\n',
  'app/templates/account.yaml': 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: "{{ .Release.Name }}"}\n',
})

interface StageOptions {
  readonly cluster?: (hub: ClusterClient) => ClusterClient
  readonly settings?: Partial<HelmReleaseSettings>
  readonly through?: (platform: EmbeddedPlatform) => EmbeddedPlatform
  /** Of a runner that counts signed approvals only. */
  readonly signatures?: SignatureDemand
  /** Reconcilers besides that of HelmReleases. */
  readonly others?: (ports: WorldPorts) => readonly Reconciler<KubernetesObject>[]
}

export const onStage = async (
  { cluster = hub => hub, settings, through, signatures, others = () => [] }: StageOptions,
  story: (scene: Scene) => Promise<void>,
): Promise<void> => {
  let reconcilers: readonly Reconciler<KubernetesObject>[] = []
  const world = await openWorld(
    ports => {
      const hubCluster = cluster(hubAsCluster(ports))
      const reconciler = helmReleaseReconciler(
        {
          ...{ ...ports, signatures },
          objects: (ports as unknown as EmbeddedPlatform).objects,
          clusters: { fromKubeconfig: () => hubCluster, fromConfigMap: async () => hubCluster },
          hubCluster: () => hubCluster,
          refetch: refetchThrough(ports),
          download: async url => {
            throw new Error(`nothing is served at ${url}`)
          },
          actions: {
            install: atOnce(install),
            upgrade: atOnce(upgrade),
            rollback: atOnce(rollback),
            uninstall: atOnce(uninstall),
            test: atOnce(testRelease),
            unlock,
          },
          functions: async () => chartFunctions({ now: ports.clock.now, bytes: randomBytes, newKey }),
        },
        { ...defaultHelmReleaseSettings, ...settings },
      )
      reconcilers = [reconciler as Reconciler<KubernetesObject>, ...others(ports)]
      return reconcilers
    },
    { ...(through && { through }) },
  )
  const { hub, platform, settle } = world
  const chart = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmChart',
    metadata: { name: 'app', namespace: 'default' },
    spec: { chart: 'app', interval: '10m', sourceRef: { kind: 'HelmRepository', name: 'charts' } },
  }
  try {
    await hub.create(chart, author)
    await story({
      ...world,
      async publish(version, name = 'app', more = {}) {
        const content = tarGzip({ ...files(version), ...more })
        const digest = sha256Digest(content)
        const path = `helmchart/default/${name}/app-${version}.tgz`
        const lastUpdateTime = '2026-01-01T00:00:00Z'
        const artifact = { digest, path, url: `http://hub/${path}`, revision: version, lastUpdateTime }
        await platform.artifacts.put(blobNameOf(artifact), content)
        const { generation } = (await hub.get<KubernetesObject>(chartRef(name)))!.metadata
        const patch = { status: { artifact, observedGeneration: generation } }
        await hub.patch(chartRef(name), { type: 'merge', patch }, { subresource: 'status', ...author })
        await enqueueDependents(world.ports, reconcilers, chartRef(name))
        await settle()
      },
      async release(name, spec = { chartRef: { kind: 'HelmChart', name: 'app' } }) {
        const release = {
          apiVersion: 'helm.toolkit.fluxcd.io/v2',
          kind: 'HelmRelease',
          metadata: { name, namespace: 'default' },
          spec: { interval: '10m', ...spec },
        }
        await hub.create(release, author)
        await settle()
      },
      read: name => hub.get<HelmRelease>(releaseRef(name)),
    })
  } finally {
    await world.close()
  }
}
