import { type Cluster, startCluster } from '../../bed/cluster.ts'
import { type FluxClusterOptions, startFluxCluster } from '../../bed/flux-controllers.ts'
import { startHub } from '../../bed/hub.ts'
import { type KubectlAccess, kubectl } from '../../bed/kubectl.ts'
import { cpuSecondsOf, residentOf } from '../process-usage.ts'

/** What installs releases: the API that its objects are written to, the cluster that the releases are on, and what it costs. */
export interface Side extends AsyncDisposable {
  readonly name: string
  readonly api: KubectlAccess & { readonly kubeconfig: string }
  readonly target: Cluster
  /** Whether the releases are reached through the Secret `target`. */
  readonly isRemote: boolean
  /** Seconds of its own processes so far. */
  cpu(): number
  /** Megabytes that they have held at most. */
  peak(): number
}

/** A hub, and the cluster that it reaches by a kubeconfig. */
export const keelson = async ({
  parentDirectory,
  nodeFlags,
}: {
  readonly parentDirectory: string
  readonly nodeFlags: readonly string[]
}): Promise<Side> => {
  await using stack = new AsyncDisposableStack()
  const target = stack.use(await startCluster({ name: 'target' }))
  const hub = stack.use(await startHub({ parentDirectory, nodeFlags }))
  for (const kubeconfig of [hub.kubeconfig, target.kubeconfig])
    await kubectl(kubeconfig, ['create', 'namespace', 'bench'])
  await hub.kubectl('-n', 'bench', 'create', 'secret', 'generic', 'target', `--from-file=value=${target.kubeconfig}`)
  const started = stack.move()
  return {
    name: 'keelson',
    ...{ api: hub, target, isRemote: true },
    cpu: () => cpuSecondsOf(hub.pid!),
    peak: () => residentOf(hub.pid!).peak,
    async [Symbol.asyncDispose]() {
      await hub.stop() // a profile is written when the process ends by itself
      await started.disposeAsync()
    },
  }
}

/** Flux's controllers, in the cluster that they install to. */
export const controllers = async (options: Required<FluxClusterOptions>): Promise<Side> => {
  const flux = await startFluxCluster(options)
  const { cluster: target, pids } = flux
  await target.kubectl('create', 'namespace', 'bench')
  return {
    name: 'controllers',
    ...{ api: target, target, isRemote: false },
    cpu: () => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
    peak: () => pids.reduce((sum, pid) => sum + residentOf(pid).peak, 0),
    [Symbol.asyncDispose]: () => flux[Symbol.asyncDispose](),
  }
}
