import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../bed/free-ports.ts'
import { disposableDir } from '../../bed/temp-dir.ts'

/** Flux's own controllers on a cluster. */
export interface Controllers extends AsyncDisposable {
  /** Where source-controller serves its artifacts: host and port. */
  readonly storageHost: string
}

/** The flags that the recordings were made with. */
const flags = ['--requeue-dependency=5s', '--interval-jitter-percentage=0', '--concurrent=8', '--log-level=error']

/** What applies the objects of an area. */
export type Applier = 'kustomize-controller' | 'helm-controller'

/** Starts source-controller and what applies, programs in a directory; `profile`: more flags of the latter. */
export const startControllers = async (
  directory: string,
  kubeconfig: string,
  applier: Applier,
  profile: readonly string[],
): Promise<Controllers> => {
  const storage = disposableDir()
  const storageHost = `127.0.0.1:${await freePort()}`
  const running: ChildProcess[] = []
  let isOver = false
  const start = async (name: string, more: readonly string[]): Promise<void> => {
    const [metrics, health] = [await freePort(), await freePort()]
    const addresses = [`--metrics-addr=127.0.0.1:${metrics}`, `--health-addr=127.0.0.1:${health}`]
    const child = spawn(join(directory, name), [...flags, ...addresses, ...more], {
      env: { PATH: process.env.PATH, HOME: storage.path, KUBECONFIG: kubeconfig, RUNTIME_NAMESPACE: 'flux-system' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let last = ''
    child.stderr.on('data', (data: Buffer) => {
      last = `${last}${data}`.slice(-4_000)
    })
    child.once('exit', () => {
      if (!isOver)
        console.log(`${name} has ended by itself: nothing that follows is recorded rightly. It said:\n${last}`)
    })
    running.push(child)
  }
  await start('source-controller', [
    `--storage-path=${storage.path}`,
    `--storage-addr=${storageHost}`,
    `--storage-adv-addr=${storageHost}`,
    '--helm-cache-max-size=100',
    '--helm-cache-ttl=60m',
    '--helm-cache-purge-interval=5m',
  ])
  await start(applier, profile)
  return {
    storageHost,
    async [Symbol.asyncDispose]() {
      isOver = true
      for (const child of running) {
        child.kill('SIGKILL')
        if (child.exitCode === null) await once(child, 'exit')
      }
      await storage[Symbol.asyncDispose]()
    },
  }
}
