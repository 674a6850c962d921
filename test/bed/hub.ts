import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loopbackRanges } from '../../lib/foundations/rules/address-policy.ts'
import { freePorts } from './free-ports.ts'
import { program } from './keelson-program.ts'
import { type KubectlAccess, kubectlAccess } from './kubectl.ts'
import { endWithTest, ifProcessEnds } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'

/** A hub as users run it: `keelson serve` in a process of its own, with a data directory that is empty at first. */
export interface Hub extends KubectlAccess, AsyncDisposable {
  readonly dataDirectory: string
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  /** `https://127.0.0.1:<port>`; the same for the hub's whole life. */
  readonly server: string
  /** Of webhooks and artifacts. */
  readonly edge: string
  /** `http://127.0.0.1:<port>`, if the console was bundled. */
  readonly console: string
  /** undefined while it is stopped. */
  readonly pid: number | undefined
  /** Starts it again, with the same data and address. */
  start(): Promise<void>
  /** Stops it (SIGTERM), and waits for its end. */
  stop(): Promise<void>
  /** The last 64 KB of its standard output and error, over all its starts. */
  said(): string
  /** Resolves when its process has ended: to the exit code, or null after a signal. */
  ended(): Promise<number | null>
  /** SIGKILL: the process can't clean up. */
  kill(): Promise<void>
}

/** Where a hub's API is. */
export interface HubApi {
  readonly server: string
  /** PEM of the authority of its certificate. */
  readonly certificateAuthority: string
}

export interface HubOptions {
  /** Where its data directory is made; the system's temporary folder unless given. */
  readonly parentDirectory?: string
  /** Where objects may have it connect to on this machine; anywhere unless given. */
  readonly allowAddresses?: readonly string[]
  /** Further flags of `keelson serve`. */
  readonly flags?: readonly string[]
  /** Flags of node itself, as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[]
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** A running hub, until the test ends. */
export const hub = async (options?: HubOptions): Promise<Hub> => endWithTest(await startHub(options))

/** A running hub which the caller disposes of, for use outside of tests. */
export async function startHub(options: HubOptions = {}): Promise<Hub> {
  const { parentDirectory, flags = [], nodeFlags = [], env = {}, allowAddresses = loopbackRanges } = options
  const root = disposableDir(parentDirectory)
  const dataDirectory = join(root.path, 'data')
  const kubeconfig = join(dataDirectory, 'kubeconfig')
  mkdirSync(dataDirectory, { mode: 0o700 })
  const [port, edgePort, consolePort] = await freePorts(3)
  const ports = ['--port', String(port), '--edge-port', String(edgePort), '--console-port', String(consolePort)]
  let running: ChildProcess | undefined
  let last: ChildProcess | undefined
  let address: Address | undefined
  let said = ''

  const end = async (signal: NodeJS.Signals) => {
    const child = running
    if (!child) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const it: Hub = {
    ...kubectlAccess(kubeconfig),
    dataDirectory,
    console: `http://127.0.0.1:${consolePort}`,
    get server() {
      return address!.server
    },
    get edge() {
      return address!.edge
    },
    get pid() {
      return running?.pid
    },
    async start() {
      if (running) return
      const served = ['serve', '--data', dataDirectory, '--no-sample', '--allow-addresses', allowAddresses.join(',')]
      const child = spawn(process.execPath, [...nodeFlags, program, ...served, ...ports, ...flags], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
      })
      const abandon = ifProcessEnds(() => child.kill('SIGKILL'))
      running = child
      last = child
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (chunk: Buffer) => {
          said = (said + chunk).slice(-65_536)
        })
      child.once('exit', () => {
        abandon()
        if (running === child) running = undefined
      })
      address = await readyAt(child)
    },
    stop: () => end('SIGTERM'),
    said: () => said,
    async ended() {
      if (last && last.exitCode === null && last.signalCode === null) await once(last, 'exit')
      return last?.exitCode ?? null
    },
    kill: () => end('SIGKILL'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
      await root[Symbol.asyncDispose]()
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

interface Address {
  readonly server: string
  readonly edge: string
}

/** Waits for the line `hub ready at <server>, webhooks at <edge>`; fails with what the process said instead. */
async function readyAt(child: ChildProcess): Promise<Address> {
  let said = ''
  const listen = (chunk: Buffer) => {
    said = (said + chunk).slice(-4000)
  }
  child.stderr!.on('data', listen)
  child.stdout!.on('data', listen)
  const lines = createInterface(child.stdout!)
  for await (const line of lines) {
    const [, server, edge] = /hub ready at (https:\S+), webhooks at (http:\S+)/.exec(line) ?? []
    if (!server || !edge) continue
    child.stdout!.resume()
    return { server, edge }
  }
  throw new Error(`the hub did not start: ${said.trim() || 'it said nothing'}`)
}
