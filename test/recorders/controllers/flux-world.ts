import { readFileSync } from 'node:fs'
import { clusters } from '../../../lib/clusters/client/clusters.ts'
import type { Cluster } from '../../bed/cluster.ts'
import { bedPlaceholders, takeUp } from '../../conformance/flux/placeholders.ts'
import type { Scenario } from '../../conformance/flux/scenario.ts'
import { startServers } from '../../conformance/flux/servers/all.ts'
import type { Placeholders } from '../../conformance/flux/texts.ts'
import type { World } from '../../conformance/flux/world.ts'
import { clusterHub } from './cluster-hub.ts'

/** A cluster in which Flux's controllers run, one that they reach by a kubeconfig, and where they serve artifacts. */
export interface FluxBeds {
  readonly hub: Cluster
  readonly target: Cluster
  readonly storageHost: string
}

/** Where a scenario happens to Flux: in namespaces of its own of clusters that scenarios share, and as time goes. */
export const openFluxWorld = async (scenario: Scenario, { hub, target, storageHost }: FluxBeds): Promise<World> => {
  const remotes = clusters({ clock: { monotonic: () => performance.now() } })
  const [ours, theirs] = [hub, target].map(cluster => remotes.fromKubeconfig(readFileSync(cluster.kubeconfig, 'utf8')))
  const running = await startServers(scenario)
  const namespaces = [scenario.id, ...(scenario.extraNamespaces ?? [])]
  for (const name of namespaces) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    for (const client of [ours!, theirs!]) await client.apply(namespace, { fieldManager: 'recorder', force: true })
  }
  const placeholders: Placeholders = new Map([
    ['STORAGE_URL', `http://${storageHost}`],
    ['STORAGE_HOST', storageHost],
    ...bedPlaceholders('HUB', hub),
    ...bedPlaceholders('TARGET', target),
  ])
  const refreshPlaceholders = (): void => takeUp(placeholders, running)
  refreshPlaceholders()
  return {
    scenario,
    hub: clusterHub(hub, ours!, namespaces),
    clock: { sleep: ms => new Promise(resolve => setTimeout(resolve, ms)), isBusy: false },
    forHub: object => object,
    hubBed: { cluster: hub, client: () => ours! },
    placeholders,
    refreshPlaceholders,
    operations: Object.assign({}, ...running.map(({ operations }) => operations)),
    real: name => (name === 'hub' ? ours! : theirs!),
    live: new Map(),
    async [Symbol.asyncDispose]() {
      await remotes.close()
      for (const server of running) await server[Symbol.asyncDispose]()
    },
  }
}
