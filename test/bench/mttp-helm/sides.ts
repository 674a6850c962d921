import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Cluster, startCluster } from '../../bed/cluster.ts'
import { eventually } from '../../bed/eventually.ts'
import { freePort } from '../../bed/free-ports.ts'
import { startHub } from '../../bed/hub.ts'
import { type KubectlAccess, kubectl } from '../../bed/kubectl.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { corpusFile } from '../../conformance/corpus.ts'
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

interface Place {
  readonly parentDirectory: string
}

/** A hub, and the cluster that it reaches by a kubeconfig. */
export const keelson = async ({
  parentDirectory,
  nodeFlags,
}: Place & { readonly nodeFlags: readonly string[] }): Promise<Side> => {
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

/** Flux's controllers, programs of a directory, in the cluster that they install to. */
export const controllers = async ({
  directory,
  concurrency,
  parentDirectory,
}: Place & { readonly directory: string; readonly concurrency: number }): Promise<Side> => {
  await using stack = new AsyncDisposableStack()
  const target = stack.use(await startCluster({ name: 'target' }))
  const storage = disposableDir(parentDirectory)
  stack.defer(() => storage[Symbol.asyncDispose]())
  await target.kubectl('apply', '--server-side', '-f', corpusFile('crds'))
  await target.kubectl('wait', 'crd', '--all', '--for=condition=Established')
  await eventually(() => target.kubectl('get', 'helmreleases,helmcharts,helmrepositories', '--all-namespaces'))
  for (const name of ['flux-system', 'bench']) await target.kubectl('create', 'namespace', name)
  const start = async (name: string, more: readonly string[]): Promise<ChildProcess> => {
    const health = `127.0.0.1:${await freePort()}`
    const addresses = [`--metrics-addr=127.0.0.1:${await freePort()}`, `--health-addr=${health}`]
    const child = spawn(
      join(directory, name),
      [`--concurrent=${concurrency}`, '--log-level=error', ...addresses, ...more],
      {
        env: {
          PATH: process.env.PATH,
          HOME: storage.path,
          TMPDIR: storage.path,
          KUBECONFIG: target.kubeconfig,
          RUNTIME_NAMESPACE: 'flux-system',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    stack.defer(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    await eventually(async () => assert.ok((await fetch(`http://${health}/readyz`)).ok))
    return child
  }
  const host = `127.0.0.1:${await freePort()}`
  const sources = await start('source-controller', [
    `--storage-path=${storage.path}`,
    `--storage-addr=${host}`,
    `--storage-adv-addr=${host}`,
    '--helm-cache-max-size=100',
    '--helm-cache-ttl=60m',
    '--helm-cache-purge-interval=5m',
  ])
  const releases = await start('helm-controller', [])
  const pids = [sources.pid!, releases.pid!]
  const started = stack.move()
  return {
    name: 'controllers',
    ...{ api: target, target, isRemote: false },
    cpu: () => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
    peak: () => pids.reduce((sum, pid) => sum + residentOf(pid).peak, 0),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
