import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKubeconfig } from '../../lib/clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../../lib/clusters/client/portable-kubeconfig.ts'
import type { Cluster } from './cluster.ts'
import { command, inNetwork } from './command.ts'
import type { Hub, HubApi } from './hub.ts'
import { program } from './keelson-program.ts'
import type { PrivateNetwork } from './private-network.ts'
import { commandLineOf } from './systemd-unit.ts'
import { endWithTest, ifProcessEnds } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'

/** The unit of systemd that the package brings. */
const unit = join(import.meta.dirname, '../../docs/embedded/keelson-runner@.service')

/** A runner as users run it: `keelson runner` in a process of its own, with the command line and environment of the package's unit. */
export interface Runner extends AsyncDisposable {
  /** The last 64 KB of its output, over all its starts. */
  said(): string
  readonly pid: number | undefined
  /** Starts it again, with the same data. */
  start(): void
  /** Ends it (SIGTERM), or kills it. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

interface RunnerOptions {
  /** `NAMESPACE/NAME`. */
  readonly cluster: string
  readonly joinToken: string
  /** Between two requests to the hub; 200ms unless given. */
  readonly poll?: string
  readonly flags?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Where it runs, beside the cluster; on this machine's own network unless given. It reaches an embedded hub through the proxy of the network. */
  readonly network?: PrivateNetwork | undefined
  /** Path of `keelson.js`; `program` unless given. */
  readonly program?: string
}

const apiOf = ({ kubeconfig }: Pick<Hub, 'kubeconfig'>): HubApi => {
  const { server, certificateAuthority = '' } = parseKubeconfig(
    portableKubeconfig(readFileSync(kubeconfig, 'utf8'), {}).text,
  )
  return { server, certificateAuthority }
}

/** The token of `keelson join`, as the administrator of the hub. */
export const joinToken = async (on: Pick<Hub, 'kubeconfig'>, name: string, namespace = 'default'): Promise<string> => {
  const args = [program, 'join', name, '-n', namespace, '--kubeconfig', on.kubeconfig]
  return (await command(process.execPath, args)).trim()
}

/** A runner beside a cluster, until the test ends. */
export const runner = (...given: Parameters<typeof startRunner>): Runner => endWithTest(startRunner(...given))

/** A runner which the caller disposes of, for use outside of tests. */
export const startRunner = (
  on: Pick<Hub, 'kubeconfig'> | HubApi,
  target: Pick<Cluster, 'kubeconfig'>,
  {
    cluster,
    joinToken,
    poll = '200ms',
    flags = [],
    env = process.env,
    network,
    program: path = program,
  }: RunnerOptions,
): Runner => {
  const root = disposableDir()
  const { server, certificateAuthority } = 'kubeconfig' in on ? (network?.leadTo(apiOf(on)) ?? apiOf(on)) : on
  const authority = join(root.path, 'hub.crt')
  writeFileSync(authority, certificateAuthority)
  const credentials = join(root.path, 'credentials')
  mkdirSync(credentials)
  symlinkSync(target.kubeconfig, join(credentials, 'kubeconfig'))
  let running: ChildProcess | undefined
  let said = ''
  const it: Runner = {
    said: () => said,
    get pid() {
      return running?.pid
    },
    start() {
      const environment = {
        ...{ KEELSON_HUB: server, KEELSON_CLUSTER: cluster, KEELSON_JOIN_TOKEN: joinToken },
        KEELSON_FLAGS: ['--certificate-authority', authority, '--poll', poll, ...flags].join(' '),
        ...{ CREDENTIALS_DIRECTORY: credentials, STATE_DIRECTORY: join(root.path, 'data') },
      }
      const [, ...args] = commandLineOf(unit, environment)
      const child = spawn(...inNetwork(network, process.execPath, [path, ...args]), {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...env, ...environment, ...(network && { HTTPS_PROXY: network.proxy }) },
      })
      const abandon = ifProcessEnds(() => child.kill('SIGKILL'))
      running = child
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          said = (said + chunk).slice(-65_536)
        })
      child.once('exit', () => {
        abandon()
        if (running === child) running = undefined
      })
    },
    async stop(signal = 'SIGTERM') {
      const child = running
      if (!child) return
      child.kill(signal)
      await once(child, 'exit')
    },
    async [Symbol.asyncDispose]() {
      await it.stop('SIGKILL')
      await root[Symbol.asyncDispose]()
    },
  }
  it.start()
  return it
}
