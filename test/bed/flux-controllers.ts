import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { corpusFile } from '../conformance/corpus.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-ports.ts'
import { disposableDir } from './temp-dir.ts'

/** A folder with Flux's own programs source-controller and helm-controller. The project carries none, and no way to build them. */
export const fluxControllers = process.env.KEELSON_CONTROLLERS

/** Options of a test that starts them: skipped, with the reason, where there are none. */
export const needsControllers = fluxControllers
  ? {}
  : { skip: 'KEELSON_CONTROLLERS names no folder with source-controller and helm-controller' }

/** A cluster with Flux's definitions, and in it source-controller and helm-controller. */
export interface FluxCluster extends AsyncDisposable {
  readonly cluster: Cluster
  /** Of the controllers. */
  readonly pids: readonly number[]
}

export interface FluxClusterOptions {
  /** Has the programs. */
  readonly directory: string
  readonly concurrency?: number
  /** Where the controllers keep their files. */
  readonly parentDirectory?: string
}

/** Resolves when the controllers are ready; the caller disposes of all. */
export const startFluxCluster = async ({
  directory,
  concurrency = 4,
  parentDirectory,
}: FluxClusterOptions): Promise<FluxCluster> => {
  await using stack = new AsyncDisposableStack()
  const cluster = stack.use(await startCluster({ name: 'flux' }))
  const storage = disposableDir(parentDirectory)
  stack.defer(() => storage[Symbol.asyncDispose]())
  await cluster.kubectl('apply', '--server-side', '-f', corpusFile('crds'))
  await cluster.kubectl('wait', 'crd', '--all', '--for=condition=Established')
  await eventually(() => cluster.kubectl('get', 'helmreleases,helmcharts,helmrepositories', '--all-namespaces'))
  await cluster.kubectl('create', 'namespace', 'flux-system')
  const start = async (name: string, more: readonly string[]): Promise<number> => {
    const health = `127.0.0.1:${await freePort()}`
    const addresses = [`--metrics-addr=127.0.0.1:${await freePort()}`, `--health-addr=${health}`]
    const flags = [`--concurrent=${concurrency}`, '--log-level=error', ...addresses, ...more]
    const child = spawn(join(directory, name), flags, {
      env: {
        PATH: process.env.PATH,
        HOME: storage.path,
        TMPDIR: storage.path,
        KUBECONFIG: cluster.kubeconfig,
        RUNTIME_NAMESPACE: 'flux-system',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    stack.defer(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    await eventually(async () => assert.ok((await fetch(`http://${health}/readyz`)).ok))
    return child.pid!
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
  const started = stack.move()
  return { cluster, pids: [sources, releases], [Symbol.asyncDispose]: () => started.disposeAsync() }
}
