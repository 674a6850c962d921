import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type ClusterClient, ClusterError } from '../clusters/client/client.ts'
import { type Clusters, clusters } from '../clusters/client/clusters.ts'
import { KubeconfigError, parseKubeconfig } from '../clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../clusters/client/portable-kubeconfig.ts'
import { CommandFailed } from './command-failed.ts'
import { withExecCredential } from './exec-plugin.ts'
import { kubeconfigData } from './kubeconfig-document.ts'
import { duration } from './option-values.ts'

/** How a command reaches the hub (or any cluster with Flux's kinds): options of kubectl and flux. */
export interface HubOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace: string
  readonly as?: string
  readonly asGroup: readonly string[]
  readonly asUid?: string
  /** Milliseconds. */
  readonly timeout: number
}

export interface HubAccess {
  readonly cluster: ClusterClient
  /** Other clusters, for objects with a kubeconfig of their own. */
  readonly clusters: Clusters
  readonly signal: AbortSignal
}

const collect = (value: string, list: readonly string[]): readonly string[] => [...list, value]

/** Adds the options of HubOptions to a command. */
export const withHubOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', "the hub's kubeconfig (default: $KUBECONFIG, else ~/.kube/config)")
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'namespace of the objects', 'flux-system')
    .option('--as <user>', 'act as this user, or system:serviceaccount:NAMESPACE:NAME')
    .option('--as-group <group>', 'act as a member of this group; may be repeated', collect, [])
    .option('--as-uid <uid>', 'act with this UID')
    .addOption(
      new Option('--timeout <duration>', 'give up after this time').argParser(duration).default(5 * 60_000, '5m'),
    )

/** Runs `work` with a client of the hub. The hub's errors, and an invalid kubeconfig, are shown in one line. */
export const withHub = async <T>(
  options: HubOptions,
  env: NodeJS.ProcessEnv,
  work: (hub: HubAccess) => Promise<T>,
): Promise<T> => {
  const connections = clusters({ clock: { monotonic: () => performance.now() } })
  const signal = AbortSignal.timeout(options.timeout)
  try {
    const { text } = readKubeconfig(options, env)
    const as = impersonationOf(options)
    return await work({
      cluster: connections.fromKubeconfig(text, as),
      clusters: connections,
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw new CommandFailed(`timed out after ${options.timeout / 1000} s`, { cause: error })
    if (error instanceof ClusterError || error instanceof KubeconfigError)
      throw new CommandFailed(error.message, { cause: error })
    throw error
  } finally {
    await connections.close()
  }
}

const impersonationOf = ({ as, asGroup, asUid }: HubOptions) => {
  if (as === undefined) {
    if (asGroup.length > 0 || asUid) throw new CommandFailed('--as-group and --as-uid need --as')
    return undefined
  }
  return { user: as, ...(asGroup.length > 0 && { groups: asGroup }), ...(asUid && { uid: asUid }) }
}

/** PEM of the authority of the hub's certificate; undefined if it is one of the system's. */
export const hubAuthority = (options: HubOptions, env: NodeJS.ProcessEnv): string | undefined =>
  parseKubeconfig(readKubeconfig(options, env).text).certificateAuthority

const readKubeconfig = ({ kubeconfig, context }: HubOptions, env: NodeJS.ProcessEnv) => {
  const files = kubeconfigFiles(kubeconfig, env)
  const [first] = files
  if (!first)
    throw new CommandFailed(
      'no kubeconfig: give --kubeconfig FILE, or set KUBECONFIG (a local hub writes .keelson/kubeconfig)',
    )
  try {
    const text = files.length === 1 ? readFileSync(first, 'utf8') : merged(files)
    const folder = dirname(first)
    const readFile = (path: string): string => readFileSync(resolve(folder, path), 'utf8')
    const ready = withExecCredential(text, { context, folder, env })
    return portableKubeconfig(ready, { context, readFile, allowInsecureTls: true })
  } catch (error) {
    if (error instanceof KubeconfigError || (error as NodeJS.ErrnoException).code)
      throw new CommandFailed(`cannot read the kubeconfig ${files.join(delimiter)}: ${(error as Error).message}`, {
        cause: error,
      })
    throw error
  }
}

/** Like kubectl: the option's file alone, otherwise those of $KUBECONFIG that exist, otherwise ~/.kube/config. */
const kubeconfigFiles = (option: string | undefined, { KUBECONFIG, HOME }: NodeJS.ProcessEnv): readonly string[] => {
  if (option) return [option]
  const named = (KUBECONFIG ?? '').split(delimiter).filter(path => path !== '')
  const candidates = named.length > 0 ? named : [join(HOME || homedir(), '.kube/config')]
  return candidates.filter(path => existsSync(path))
}

/** Merges several files: the first of several entries with one name, and the first current context, win; paths become absolute. */
const merged = (files: readonly string[]): string => {
  const configs = files.map(file => ({ folder: dirname(resolve(file)), config: parse(file) }))
  const entries = (list: string) =>
    configs.flatMap(({ folder, config }) => asList(config[list]).map(entry => absolute(entry, folder)))
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': configs.map(({ config }) => config['current-context']).find(Boolean),
    clusters: entries('clusters'),
    users: entries('users'),
    contexts: entries('contexts'),
  })
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const parse = (file: string): Readonly<Record<string, unknown>> => {
  const config = dataOf(file)
  return typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {}
}

const dataOf = (file: string): unknown => {
  try {
    return kubeconfigData(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof KubeconfigError) throw new KubeconfigError(`${file}: ${error.message}`, error)
    throw error
  }
}

const fileFields = new Set(['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'])

const absolute = (entry: unknown, folder: string): unknown => {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      fileFields.has(key) && typeof value === 'string' ? resolve(folder, value) : absolute(value, folder),
    ]),
  )
}
