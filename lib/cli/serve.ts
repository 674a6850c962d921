import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { KubeconfigError } from '../cluster/kubeconfig.ts'
import { portableKubeconfig } from '../cluster/portable-kubeconfig.ts'
import { type EdgeRoute, type EmbeddedHub, StartFailed, startEmbeddedHub } from '../compose/embedded.ts'
import { jsonLog, type LogLevel } from '../compose/json-log.ts'
import { defaultSettings } from '../compose/settings.ts'
import { parseLabelSelector } from '../hub/label-selector.ts'
import { formatDuration } from '../kinds/duration.ts'
import { CommandFailed } from './command-failed.ts'
import { featureGates, type GatedSettings } from './feature-gates.ts'
import { duration, percentage, portNumber, positiveInteger, textList } from './option-values.ts'
import { followProgress, type Progress } from './progress.ts'
import { sample } from './sample/sample.ts'
import type { Terminal } from './terminal.ts'

interface ServeOptions {
  readonly data: string
  readonly port: number
  readonly edgePort?: number
  readonly kubeconfig?: string
  readonly context?: string
  readonly sample: boolean
  readonly once: boolean
  readonly timeout: number
  readonly logLevel: LogLevel
  /** False when `--no-cross-namespace-refs` is given. */
  readonly crossNamespaceRefs: boolean
  /** False when `--no-remote-bases` is given. */
  readonly remoteBases: boolean
  readonly pluginGroups: readonly string[]
  readonly pluginNetwork: boolean
  readonly defaultServiceAccount?: string
  readonly watchConfigsLabelSelector?: string
  readonly sopsAgeSecret?: string
  readonly sopsVaultConfigmap?: string
  /** False when `--no-verify-sops-mac` is given. */
  readonly verifySopsMac: boolean
  readonly objectLevelWorkloadIdentity: boolean
  /** False when `--no-strict-substitution` is given. */
  readonly strictSubstitution: boolean
  readonly overrideManager: readonly string[]
  readonly customApplyStageKinds: readonly string[]
  readonly concurrentSsa: number
  readonly featureGates: GatedSettings
  readonly requeueDependency: number
  readonly intervalJitterPercentage: number
  readonly concurrent: number
}

const examples = `
Examples:
  # A hub with a sample repository, reconciled into the hub itself
  keelson serve

  # The same into a real cluster
  keelson serve --kubeconfig ~/.kube/config --context staging

  # An empty hub, for objects of your own
  keelson serve --no-sample --data /var/lib/keelson
`

/** `keelson serve`: the embedded hub in this process, until it is told to stop. */
export const serveCommand = (terminal: Terminal): Command =>
  new Command('serve')
    .summary('run a hub on this machine')
    .description('Runs a hub on this machine: serves its Kubernetes API on loopback and reconciles what it holds.')
    .option('--data <dir>', 'where the hub keeps its objects, artifacts and keys', '.keelson')
    .option('--port <number>', 'port of the Kubernetes API; 0 takes a free one', portNumber, 6448)
    .option('--edge-port <number>', 'port of webhooks and artifacts (default: the next one)', portNumber)
    .option('--kubeconfig <file>', 'reconcile the sample into the cluster of this kubeconfig')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--no-sample', 'do not create the sample repository')
    .option('--once', 'end when all objects are ready: exit code 0, or 1 with the reasons', false)
    .addOption(durationOption('--timeout <duration>', 'how long --once waits', 120_000))
    .addOption(
      new Option('--log-level <level>', 'write log lines as JSON to standard error')
        .choices(['info', 'error', 'none'])
        .default('none'),
    )
    .option('--no-cross-namespace-refs', 'refuse references to objects of other namespaces')
    .option('--no-remote-bases', 'refuse kustomizations that name repositories or files by URL')
    .option(
      '--plugin-groups <groups>',
      'API groups whose installed kustomize plugins may run, separated by commas',
      textList,
      [],
    )
    .option('--plugin-network', 'let those plugins use the network', false)
    .addOption(
      new Option(
        '--default-service-account <name>',
        'account that Kustomizations and ResourceSets act as when they name none',
      ).env('DEFAULT_SERVICE_ACCOUNT'),
    )
    .option(
      '--watch-configs-label-selector <selector>',
      'Secrets and ConfigMaps whose changes run their users (default: reconcile.fluxcd.io/watch=Enabled)',
      labelSelector,
    )
    .option(
      '--sops-age-secret <name>',
      'Secret of keelson-system with age keys, for Kustomizations that name no Secret',
    )
    .option(
      '--sops-vault-configmap <name>',
      'ConfigMap of keelson-system with the Vault servers that ServiceAccounts may log in to',
    )
    .option('--no-verify-sops-mac', 'decrypt files that were changed since they were encrypted')
    .option('--object-level-workload-identity', 'let objects name the ServiceAccount that clouds see', false)
    .option('--no-strict-substitution', 'let variables be empty that are not defined and have no default')
    .option('--override-manager <names>', 'field managers whose changes are undone, separated by commas', textList, [])
    .option(
      '--custom-apply-stage-kinds <kinds>',
      'kinds that are applied in a stage of their own, as group/Kind, separated by commas',
      textList,
      [],
    )
    .option('--concurrent-ssa <number>', 'requests of one apply at a time', positiveInteger, 16)
    .option('--feature-gates <gates>', "Flux's feature gates, as Name=true, separated by commas", featureGates, {})
    .addOption(
      durationOption(
        '--requeue-dependency <duration>',
        'wait before looking at a dependency again',
        defaultSettings.requeueDependencyMs,
      ),
    )
    .option(
      '--interval-jitter-percentage <number>',
      'spread of equal intervals',
      percentage,
      defaultSettings.intervalJitterPercentage,
    )
    .option(
      '--concurrent <number>',
      'reconciles at a time, per stage and cluster',
      positiveInteger,
      defaultSettings.concurrent,
    )
    .addHelpText('after', examples)
    .action((options: ServeOptions) => serve(options, terminal))

const durationOption = (flags: string, description: string, defaultMs: number): Option =>
  new Option(flags, description).argParser(duration).default(defaultMs, formatDuration(defaultMs))

const labelSelector = (text: string): string => {
  try {
    parseLabelSelector(text)
    return text
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

const serve = async (options: ServeOptions, terminal: Terminal): Promise<void> => {
  const target = options.kubeconfig ? readTarget(options.kubeconfig, options.context) : undefined
  for (const warning of target?.warnings ?? []) terminal.failure(warning)
  const stopping = stopOnSignals()
  const samples = options.sample ? sample(join(resolve(options.data), 'sample')) : undefined
  terminal.action(`starting the hub in ${options.data}`)
  const embedded = await startHub(options, samples?.route)
  try {
    terminal.success(`hub ready at ${embedded.apiUrl}, webhooks at ${embedded.edgeUrl}`)
    terminal.print(`\n    kubectl --kubeconfig ${shown(embedded.kubeconfig)} get kustomizations -A\n`)
    if (samples) {
      const { clone } = await samples.start(embedded, target?.text)
      terminal.action(`applying the sample repository to ${target ? target.server : 'the hub itself'}`)
      terminal.print(`\n    change ${shown(join(clone, 'deploy', 'greeting.txt'))}, commit and push\n`)
    }
    const progress = await followProgress(embedded.hub, terminal, stopping)
    if (options.once) await requireSettled(progress, options.timeout, stopping)
    else await aborted(stopping)
  } finally {
    await embedded.close()
  }
}

const ofSystem = (name: string | undefined) => (name ? { namespace: 'keelson-system', name } : undefined)

const readTarget = (file: string, context: string | undefined) => {
  try {
    const readBeside = (path: string): string => readFileSync(resolve(dirname(file), path), 'utf8')
    return portableKubeconfig(readFileSync(file, 'utf8'), { context, readFile: readBeside, allowInsecureTls: false })
  } catch (error) {
    if (error instanceof KubeconfigError || (error as NodeJS.ErrnoException).code)
      throw new CommandFailed(`cannot read the kubeconfig ${file}: ${(error as Error).message}`, { cause: error })
    throw error
  }
}

const startHub = async (options: ServeOptions, route: EdgeRoute | undefined): Promise<EmbeddedHub> => {
  try {
    return await startEmbeddedHub({
      dataDirectory: options.data,
      apiPort: options.port,
      edgePort: options.edgePort ?? (options.port === 0 ? 0 : options.port + 1),
      edgeRoutes: route ? [route] : [],
      log: jsonLog(process.stderr, options.logLevel, Date.now),
      noCrossNamespaceRefs: !options.crossNamespaceRefs,
      noRemoteBases: !options.remoteBases,
      pluginGroups: options.pluginGroups,
      pluginNetwork: options.pluginNetwork,
      defaultServiceAccount: options.defaultServiceAccount,
      watchConfigsLabelSelector: options.watchConfigsLabelSelector,
      sopsAgeSecret: ofSystem(options.sopsAgeSecret),
      sopsVaultConfigMap: ofSystem(options.sopsVaultConfigmap),
      verifySopsMac: options.verifySopsMac,
      objectLevelWorkloadIdentity: options.objectLevelWorkloadIdentity,
      strictSubstitution: options.strictSubstitution,
      overriddenManagers: options.overrideManager,
      customStageKinds: options.customApplyStageKinds,
      concurrentApplies: options.concurrentSsa,
      ...options.featureGates,
      requeueDependencyMs: options.requeueDependency,
      intervalJitterPercentage: options.intervalJitterPercentage,
      concurrent: options.concurrent,
    })
  } catch (error) {
    if (error instanceof StartFailed) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
}

/** Ends well when all is ready, else with the reasons. */
const requireSettled = async (progress: Progress, timeoutMs: number, stopping: AbortSignal): Promise<void> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  const settlement = await progress.settled(AbortSignal.any([timeout, stopping])).catch(() => 'open' as const)
  if (settlement === 'ready') return
  const why = stopping.aborted ? 'stopped' : timeout.aborted ? `not ready after ${timeoutMs / 1000} s` : 'stalled'
  throw new CommandFailed([`${why}:`, ...progress.unready()].join('\n  '))
}

const stopOnSignals = (): AbortSignal => {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolveWhen => {
    if (signal.aborted) resolveWhen()
    else signal.addEventListener('abort', () => resolveWhen(), { once: true })
  })

const shown = (path: string): string => {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}
