import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { rollback } from '../../lib/clusters/helm-release/rollback.ts'
import { test } from '../../lib/clusters/helm-release/test.ts'
import { uninstall } from '../../lib/clusters/helm-release/uninstall.ts'
import { unlock } from '../../lib/clusters/helm-release/unlock.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import { chartFunctions } from '../../lib/engines/helm/functions.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import { blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { HelmRelease, HelmReleaseSpec } from '../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { sha256Digest } from '../../lib/foundations/rules/sha256.ts'
import type { EmbeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import { helmReleaseReconciler } from '../../lib/reconcile/helm-release/helm-release.ts'
import { enqueueDependents } from '../../lib/reconcile/runtime/news.ts'
import type { Reconciler } from '../../lib/reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../../lib/reconcile/source-artifact/read-artifact.ts'
import { type Life, mortalPlatform } from '../bed/life.ts'
import { tarGzip } from '../bed/tar-gzip.ts'
import type { ManualClock } from '../contracts/manual-clock.ts'
import { openWorld } from '../unit/reconcile/world.ts'
import { type Files, intercepted } from './helm-release-bed.ts'

/** A cluster client whose every request is a step of a life, and which counts the hooks that it makes: objects named `hook-...`. */
const mortalClient = (client: ClusterClient, life: Life, made: Map<string, number>): ClusterClient =>
  intercepted(client, (name, call, [first]) =>
    life.step(`request: ${name}`, async () => {
      const result = await call()
      const { metadata } = first as Partial<KubernetesObject>
      if (name === 'apply' && metadata?.name.startsWith('hook-'))
        made.set(metadata.name, (made.get(metadata.name) ?? 0) + 1)
      return result
    }),
  )

const author = { fieldManager: 'someone' }
const chartRef: ObjectRef = {
  group: 'source.toolkit.fluxcd.io',
  kind: 'HelmChart',
  namespace: 'default',
  name: 'app',
}
const releaseRef: ObjectRef = {
  group: 'helm.toolkit.fluxcd.io',
  kind: 'HelmRelease',
  namespace: 'default',
  name: 'app',
}

/** A process that reconciles a HelmRelease `app` of a HelmChart, in a hub of its own, and on a real cluster. */
export const helmReleaseProcess = async (
  client: ClusterClient,
  life: Life,
  made: Map<string, number>,
  left?: { readonly directory: string; readonly clock: ManualClock },
) => {
  let reconcilers: readonly Reconciler<KubernetesObject>[] = []
  const cluster = mortalClient(client, life, made)
  const world = await openWorld(
    ports => {
      const reconciler = helmReleaseReconciler({
        ...ports,
        objects: (ports as unknown as EmbeddedPlatform).objects,
        clusters: { fromKubeconfig: () => cluster, fromConfigMap: async () => cluster },
        hubCluster: () => cluster,
        refetch: refetchThrough(ports),
        download: async url => {
          throw new Error(`nothing is served at ${url}`)
        },
        actions: { install, upgrade, rollback, uninstall, test, unlock },
        functions: async () => chartFunctions({ now: ports.clock.now, bytes: randomBytes, newKey }),
      })
      reconcilers = [reconciler as Reconciler<KubernetesObject>]
      return reconcilers
    },
    { ...(left && { left }), through: platform => mortalPlatform(platform, life) },
  )
  const { hub, platform, loop } = world
  return {
    ...world,
    /** Works on what is due for some minutes; a process that dies meanwhile has done what it could. */
    async live(minutes: number): Promise<void> {
      try {
        await loop.resume()
        await world.settle()
        await world.advance(minutes * 60_000)
      } catch (error) {
        if (!life.died) throw error
      }
    },
    async publish(files: Files, version: string): Promise<void> {
      if (!(await hub.get(chartRef)))
        await hub.create(
          {
            ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart' },
            metadata: { name: 'app', namespace: 'default' },
            spec: { chart: 'app', interval: '10m', sourceRef: { kind: 'HelmRepository', name: 'charts' } },
          },
          author,
        )
      const content = tarGzip(Object.fromEntries(Object.entries(files).map(([name, text]) => [`app/${name}`, text])))
      const digest = sha256Digest(content)
      const path = `helmchart/default/app/app-${version}.tgz`
      const lastUpdateTime = '2026-01-01T00:00:00Z'
      const artifact = { digest, path, url: `http://hub/${path}`, revision: version, lastUpdateTime }
      await platform.artifacts.put(blobNameOf(artifact), content)
      const patch = { status: { artifact, observedGeneration: 1 } }
      await hub.patch(chartRef, { type: 'merge', patch }, { subresource: 'status', ...author })
      await enqueueDependents(world.ports, reconcilers, chartRef)
    },
    async release(spec: Partial<HelmReleaseSpec>): Promise<void> {
      const release = {
        ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' },
        metadata: { name: 'app', namespace: 'default' },
        spec: { interval: '1h', chartRef: { kind: 'HelmChart', name: 'app' }, ...spec },
      }
      await hub.create(release, author)
    },
    /** As a user does with `keelson undo`. */
    async undo(contents: string): Promise<void> {
      const patch = { metadata: { annotations: { 'keelson.dev/undo': contents } } }
      await hub.patch(releaseRef, { type: 'merge', patch }, { ...author, user: 'jane' })
    },
    async remove(): Promise<void> {
      await hub.delete(releaseRef, {})
    },
    read: () => hub.get<HelmRelease>(releaseRef),
  }
}
