import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inNetwork, type Network } from './command.ts'
import { freePort } from './free-ports.ts'
import { type KubectlAccess, kubectlAccess } from './kubectl.ts'
import { endWithTest } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'
import { testcluster } from './testcluster.ts'

/** A real Kubernetes cluster of one's own: kube-apiserver, controllers, etcd; its pods become ready without running. */
export interface Cluster extends KubectlAccess, AsyncDisposable {
  readonly name: string
  /** `https://127.0.0.1:<port>`; the same for the cluster's whole life. */
  readonly server: string
  /** Path of a kubeconfig with the administrator's token; it holds all data inline. */
  readonly kubeconfig: string
  /** The same with a client certificate in place of the token. */
  readonly certificateKubeconfig: string
  /** The processes that serve it now: empty while it is stopped. */
  readonly pid: number | undefined
  /** Freezes it: connections are accepted and never answered. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Kills it: connections are refused. Its state stays, and `start` brings it back at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
}

export interface ClusterOptions {
  readonly name?: string
  /** Stand-in nodes; with 0 all pods stay Pending. */
  readonly nodes?: number
  /** Further kube-apiserver flags. */
  readonly apiserverFlags?: readonly string[]
  /** Where it listens, and its kubectl runs; on this machine's own network unless given. */
  readonly network?: Network | undefined
}

/** A running cluster, until the test ends. Takes 2-3 s and 450 MB. */
export const cluster = async (options?: ClusterOptions): Promise<Cluster> => endWithTest(await startCluster(options))

/** A running cluster which the caller disposes of, for use outside of tests. */
export async function startCluster({ name = 'testcluster', ...options }: ClusterOptions = {}): Promise<Cluster> {
  const binary = await testcluster()
  const dir = disposableDir()
  const kubeconfig = join(dir.path, 'admin.kubeconfig')
  const flags = ['--dir', dir.path, '--name', name, '--nodes', String(options.nodes ?? 1), '--until-stdin-closes']
  flags.push('--port', String(await freePort()), '--apiserver-flags', options.apiserverFlags?.join(' ') ?? '')

  let server = ''
  let running: ChildProcess | undefined
  let frozen: Frozen | undefined

  const startOnce = async () => {
    const child = spawn(...inNetwork(options.network, binary, ['up', ...flags]), { stdio: 'pipe' })
    const ended = once(child, 'exit').then(() => {
      if (running === child) running = undefined
    })
    // A kube-apiserver that starts too slowly on a loaded machine gives up parts of itself permanently: start another one.
    const impatience = setTimeout(() => child.kill('SIGKILL'), 90_000)
    running = child
    try {
      server = await readyAt(child, name)
    } catch (error) {
      child.kill('SIGKILL')
      await ended
      throw error
    } finally {
      clearTimeout(impatience)
    }
  }

  const it: Cluster = {
    ...kubectlAccess(kubeconfig, { network: options.network }),
    name,
    certificateKubeconfig: join(dir.path, 'admin-certificate.kubeconfig'),
    get server() {
      return server
    },
    get pid() {
      return running?.pid
    },
    async start() {
      for (let attempt = 1; !running; attempt++) {
        try {
          await startOnce()
        } catch (error) {
          if (attempt === 3) throw error
        }
      }
    },
    async stop() {
      const child = running
      if (!child) return
      await it.resume()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async pause() {
      if (!running?.pid) throw new Error(`cluster ${name} is not running: it cannot be paused`)
      frozen ??= await freeze(running.pid)
    },
    async resume() {
      await frozen?.thaw()
      frozen = undefined
    },
    async [Symbol.asyncDispose]() {
      await it.stop()
      await dir[Symbol.asyncDispose]()
    },
  }
  try {
    await it.start()
    return it
  } catch (error) {
    await it[Symbol.asyncDispose]()
    throw error
  }
}

/** Waits for the line `ready <server>`; fails with what the process said instead. */
async function readyAt(child: ChildProcess, name: string): Promise<string> {
  let complaint = ''
  child.stderr?.on('data', chunk => (complaint = (complaint + chunk).slice(-4000)))
  for await (const line of createInterface(child.stdout!)) {
    if (line.startsWith('ready ')) return line.slice('ready '.length)
  }
  throw new Error(`cluster ${name} did not start: ${complaint.trim() || 'it said nothing'}`)
}

interface Frozen {
  thaw(): Promise<void>
}

/**
 * Freezes a process (SIGSTOP). A guard wakes it on request, or when we are gone: a frozen process would not notice that its owner has died, and
 * would stay forever.
 */
async function freeze(pid: number): Promise<Frozen> {
  // The signal is on its way when kill returns: on a busy machine the process may still answer for a moment.
  // An empty Debian has no ps, and macOS no /proc.
  const state = '{ sed "s/.*) //" "/proc/$1/stat" 2>/dev/null || ps -o state= -p "$1"; }'
  const stopped = `while kill -0 "$1" && ! ${state} | grep -q ^T; do sleep 0.02; done; sleep 0.1`
  const script = `kill -STOP "$1" && { ${stopped}; echo frozen; read -r _; }; kill -CONT "$1"`
  const guard = spawn('sh', ['-c', script, 'guard', String(pid)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(guard, 'exit')
  await Promise.race([once(guard.stdout, 'data'), ended])
  return {
    async thaw() {
      guard.stdin.end()
      await ended
    },
  }
}
