import { readFileSync } from 'node:fs'
import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import { clusters } from '../../../lib/clusters/client/clusters.ts'
import type { Impersonation } from '../../../lib/clusters/client/kubeconfig.ts'
import { type Cluster, type ClusterOptions, startCluster } from '../../bed/cluster.ts'

/** The real clusters that scenarios are played on; they share them, each in namespaces of its own. */
export interface Beds extends AsyncDisposable {
  readonly hub: Bed
  /** Started when the first scenario asks for it. */
  target(): Promise<Bed>
}

export interface Bed {
  readonly cluster: Cluster
  readonly client: (impersonate?: Impersonation) => ClusterClient
}

export const startBeds = async (options: Pick<ClusterOptions, 'apiserverFlags'> = {}): Promise<Beds> => {
  const remotes = clusters({ clock: { monotonic: () => performance.now() } })
  const started: Cluster[] = []
  const start = async (name: string): Promise<Bed> => {
    const cluster = await startCluster({ name, ...options })
    started.push(cluster)
    const kubeconfig = readFileSync(cluster.kubeconfig, 'utf8')
    return { cluster, client: impersonate => remotes.fromKubeconfig(kubeconfig, impersonate) }
  }
  let target: Promise<Bed> | undefined
  return {
    hub: await start('hub'),
    target: () => {
      target ??= start('target')
      return target
    },
    async [Symbol.asyncDispose]() {
      await remotes.close()
      for (const cluster of started) await cluster[Symbol.asyncDispose]()
    },
  }
}
