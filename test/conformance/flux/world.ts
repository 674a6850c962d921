import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../lib/clusters/client/kubeconfig.ts'
import { composeCoreOver } from '../../../lib/compose/core.ts'
import { edgeOf } from '../../../lib/compose/edge.ts'
import { composeHub } from '../../../lib/compose/hub.ts'
import type { CoreSettings } from '../../../lib/compose/platform.ts'
import { defaultSettings, type Settings } from '../../../lib/compose/settings/settings.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { listen } from '../../../lib/hub/apiserver/wire/listen.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { connections } from '../../../lib/platform/http/connections.ts'
import type { ArtifactStore } from '../../../lib/platform/ports/artifacts.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import type { Bed, Beds } from './beds.ts'
import { type FastClock, fastClock } from './clock.ts'
import { bedPlaceholders, takeUp } from './placeholders.ts'
import { profiles } from './profiles.ts'
import { routedCluster } from './routed-cluster.ts'
import type { Scenario } from './scenario.ts'
import { leftToScenarioRunner, type ScenarioRunner, startScenarioRunner } from './scenario-runner.ts'
import { startServers } from './servers/all.ts'
import type { ScenarioServer } from './servers/server.ts'
import type { Placeholders } from './texts.ts'

/** Where a scenario happens: a hub, the real clusters, and the servers that it needs. */
export interface World extends AsyncDisposable {
  readonly scenario: Scenario
  readonly hub: ScenarioHub
  /** `isBusy`: somebody works just now. */
  readonly clock: Pick<FastClock, 'sleep' | 'isBusy'>
  readonly placeholders: Placeholders
  readonly operations: ScenarioServer['operations']
  /** Takes up what the servers have come to serve. */
  refreshPlaceholders(): void
  /** A real cluster by the name that recordings have for it. */
  real(cluster: 'hub' | 'target'): ClusterClient
  readonly hubBed: Bed
  /** An object as it is put into the hub. */
  forHub(object: KubernetesObject): KubernetesObject
  /** Live objects as they were at the end of the last step, by the recordings' keys. */
  readonly live: Map<string, KubernetesObject>
}

/** A hub, and the wait until it has done all that it was told to. */
export type ScenarioHub = Hub & { settled(): Promise<void> }

/** The world in which Keelson does what the scenario asks for. */
export interface KeelsonWorld extends World {
  readonly artifacts: ArtifactStore
  /** Reconciles the scenario's Kustomizations; undefined if the hub does. */
  readonly runner: ScenarioRunner | undefined
}

const speed = 10

export const openWorld = async (
  scenario: Scenario,
  beds: Beds,
  settings: Partial<Settings> = {},
  isThroughRunner = false,
): Promise<KeelsonWorld> => {
  const directory = disposableDir()
  const clock = fastClock(speed)
  const platform = await embeddedPlatform(directory.path, { clock, random: steadyRandom })
  const hubBed = beds.hub
  const targetBed = usesTarget(scenario) ? await beds.target() : undefined
  const realHub = hubBed.client()
  const wires = connections()
  const edge = edgeOf([])
  const storage = await listen({ handle: request => edge.handle(request), port: 0 })
  const ports = { ...platform, log: silent, connections: wires }
  const coreSettings: CoreSettings = {
    ...defaultSettings,
    requeueDependencyMs: 5_000,
    intervalJitterPercentage: 0,
    onClusterChange: 'ignore',
    pruneGuard: false, // what was recorded of Flux's controllers was recorded without
    ...profiles[scenario.profile],
    ...settings,
    artifactAddress: storage.url,
  }
  const composed = composeHub(ports, coreSettings, () => core.reconcilers)
  const hubCluster = (impersonate?: Impersonation) =>
    routedCluster(composed.hubCluster(impersonate), hubBed.client(impersonate))
  const everyStep = { momentMs: 0, routineMomentMs: 0 }
  const core = composeCoreOver({ ...composed, hubCluster }, ports, coreSettings, everyStep)
  for (const route of core.artifactRoutes) edge.add(route)
  await core.hub.prepare()
  const running = await startServers(scenario)
  const namespaces = [scenario.id, ...(scenario.extraNamespaces ?? [])]
  for (const name of namespaces) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    await core.hub.create(namespace, { fieldManager: 'recorder' })
    for (const bed of [hubBed, targetBed])
      await bed?.client().apply(namespace, { fieldManager: 'recorder', force: true })
  }

  const placeholders: Placeholders = new Map([
    ['STORAGE_URL', storage.url],
    ['STORAGE_HOST', new URL(storage.url).host],
    ...bedPlaceholders('HUB', hubBed.cluster),
    ...(targetBed ? bedPlaceholders('TARGET', targetBed.cluster) : []),
  ])
  const refreshPlaceholders = (): void => takeUp(placeholders, running)
  refreshPlaceholders()

  const stopping = new AbortController()
  const consumers = [...new Set(core.reconcilers.map(({ stage }) => stage))].map(stage =>
    platform.queue.consume(stage, { concurrency: 4 }, message =>
      clock.whileBusy(() => core.loop.handle(message, stopping.signal)),
    ),
  )
  const runner = isThroughRunner
    ? await startScenarioRunner({
        ...{ namespace: scenario.id, directory: directory.path, clock, random: steadyRandom, bed: hubBed, ports },
        ...{ settings: coreSettings, composed: { ...composed, hubCluster }, addressed: core.reconcilers },
      })
    : undefined
  const ticking = (async () => {
    while (!stopping.signal.aborted) {
      await core.loop.tick()
      await clock.sleep(60_000, stopping.signal).catch(() => {})
    }
  })()

  return {
    scenario,
    hub: core.hub,
    artifacts: platform.artifacts,
    clock,
    hubBed,
    forHub: object => (runner ? leftToScenarioRunner(object, scenario.id) : object),
    runner,
    placeholders,
    refreshPlaceholders,
    operations: Object.assign({}, ...running.map(({ operations }) => operations)),
    real: name => (name === 'hub' ? realHub : targetBed!.client()),
    live: new Map(),
    async [Symbol.asyncDispose]() {
      await runner?.[Symbol.asyncDispose]()
      stopping.abort('over')
      await Promise.all([ticking, ...consumers.map(consumer => consumer.close())])
      await core.hub.settled()
      await core.close()
      await storage.close()
      await platform.close()
      clock.stop()
      for (const server of running) await server[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

const usesTarget = (scenario: Scenario): boolean =>
  scenario.target !== undefined || /TARGET_|"target[! ]|"cluster":"target"/.test(JSON.stringify(scenario.steps))

const steadyRandom = { ...systemRandom, fraction: () => 0.5 }

const silent = { info: () => {}, error: () => {} }
