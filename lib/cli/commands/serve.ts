import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { KubeconfigError } from '../../clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../../clusters/client/portable-kubeconfig.ts'
import type { AuditLogSettings } from '../../compose/audit-log.ts'
import { type EdgeRoute, type EmbeddedHub, StartFailed, startEmbeddedHub } from '../../compose/embedded.ts'
import { jsonLog, type LogLevel } from '../../compose/json-log.ts'
import type { Settings } from '../../compose/settings/settings.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { loopbackRanges } from '../../foundations/rules/address-policy.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { CommandFailed } from '../command-failed.ts'
import { count, duration, portNumber } from '../option-values.ts'
import { followProgress, type Progress } from '../progress.ts'
import { sample } from '../sample/sample.ts'
import { settingFlags, settingsOf } from '../setting-flags.ts'
import { type Terminal, terminalOn } from '../terminal.ts'

interface ServeOptions {
  readonly data: string
  readonly port: number
  readonly edgePort?: number
  readonly consolePort?: number
  readonly authenticationConfig?: string
  readonly auditLogPath?: string
  readonly auditPolicyFile?: string
  readonly auditLogMaxsize: number
  readonly auditLogMaxbackup: number
  readonly auditLogMaxage: number
  readonly kubeconfig?: string
  readonly context?: string
  readonly sample: boolean
  readonly once: boolean
  readonly timeout: number
  readonly logLevel: LogLevel
}

const examples = `
Examples:
  # A hub with a sample repository, reconciled into the hub itself
  keelson serve

  # The same into a real cluster
  keelson serve --kubeconfig ~/.kube/config --context staging

  # An empty hub, for objects of your own
  keelson serve --no-sample --data /var/lib/keelson

  # The same for repositories and clusters on this machine
  keelson serve --no-sample --allow-addresses 127.0.0.0/8,::1
`

/** `keelson serve`: runs the embedded hub in this process, until it is stopped. */
export const serveCommand = (terminal: Terminal): Command => {
  const command = new Command('serve')
    .summary('run a hub on this machine')
    .description('Runs a hub on this machine: serves its Kubernetes API on loopback and reconciles its objects.')
    .option('--data <dir>', 'where the hub keeps its objects, artifacts and keys', '.keelson')
    .option('--port <number>', 'port of the Kubernetes API; 0 selects a free one', portNumber, 6448)
    .option('--edge-port <number>', 'port of webhooks and artifacts (default: the next one)', portNumber)
    .option('--console-port <number>', 'port of the console, in plain HTTP (default: the one after that)', portNumber)
    .option('--authentication-config <file>', 'issuers of tokens that people log in with (AuthenticationConfiguration)')
    .option('--audit-log-path <file>', 'audit log of requests in this file; - is standard output')
    .option(
      '--audit-policy-file <file>',
      'which requests to log (Policy of audit.k8s.io); default: writes, and reads of Secrets by people',
    )
    .option('--audit-log-maxsize <megabytes>', 'size at which the audit log is rotated', count, 100)
    .option('--audit-log-maxbackup <number>', 'number of rotated files to keep; 0 keeps all', count, 10)
    .option('--audit-log-maxage <days>', 'how long to keep rotated files; 0 keeps them forever', count, 0)
    .option('--kubeconfig <file>', 'reconcile the sample into the cluster of this kubeconfig')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--no-sample', 'do not create the sample repository')
    .option('--once', 'exit when all objects are ready: with code 0, or 1 and the reasons', false)
    .addOption(durationOption('--timeout <duration>', 'how long --once waits', 120_000))
    .addOption(
      new Option('--log-level <level>', 'write log lines as JSON to standard error')
        .choices(['info', 'error', 'none'])
        .default('error'),
    )
    .addHelpText('after', examples)
    .action((options: ServeOptions) => serve(options, settingsOf(command.opts()), terminal))
  for (const flag of settingFlags()) command.addOption(flag)
  return command
}

const durationOption = (flags: string, description: string, defaultMs: number): Option =>
  new Option(flags, description).argParser(duration).default(defaultMs, formatDuration(defaultMs))

const serve = async (options: ServeOptions, settings: Settings, terminal: Terminal): Promise<void> => {
  const target = options.kubeconfig ? readTarget(options.kubeconfig, options.context) : undefined
  for (const warning of target?.warnings ?? []) terminal.failure(warning)
  const stopping = stopOnSignals()
  const samples = options.sample ? sample(join(resolve(options.data), 'sample')) : undefined
  terminal.action(`starting the hub in ${options.data}`)
  const embedded = await startHub(options, samples ? allowingLoopback(settings) : settings, samples?.route)
  try {
    terminal.success(`hub ready at ${embedded.apiUrl}, webhooks at ${embedded.edgeUrl}`)
    if (samples) terminal.action('objects may name loopback addresses, since the sample repository is at one')
    terminal.print(`\n    kubectl --kubeconfig ${shown(embedded.kubeconfig)} get kustomizations -A\n`)
    const login = await loginUrlOf(embedded, terminal)
    if (login) terminal.print(`    ${login}   logs in one browser, within ten minutes; keelson console makes another\n`)
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
    // Abandoned connections would keep the process alive until their timeouts.
    setTimeout(() => process.exit(), 100).unref()
  }
}

/** The link is stored, which may fail: the disk is full, for instance. The hub runs without it. */
const loginUrlOf = async (hub: EmbeddedHub, terminal: Terminal): Promise<string | undefined> => {
  try {
    return await hub.loginUrl()
  } catch (error) {
    terminal.failure(`no link to log in with: ${errorMessage(error)}; keelson console makes one later`)
    return undefined
  }
}

/** The sample repository is served by the hub itself, on loopback. */
const allowingLoopback = (settings: Settings): Settings => ({
  ...settings,
  allowAddresses: [...settings.allowAddresses, ...loopbackRanges],
})

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

const startHub = async (
  options: ServeOptions,
  settings: Settings,
  route: EdgeRoute | undefined,
): Promise<EmbeddedHub> => {
  try {
    return await startEmbeddedHub({
      ...settings,
      dataDirectory: options.data,
      apiPort: options.port,
      edgePort: options.edgePort ?? (options.port === 0 ? 0 : options.port + 1),
      consolePort: options.consolePort,
      edgeRoutes: route ? [route] : [],
      authenticationConfig: options.authenticationConfig,
      audit: auditOf(options),
      onFatalError: endProcess,
      log: jsonLog(process.stderr, options.logLevel, Date.now),
    })
  } catch (error) {
    if (error instanceof StartFailed) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
}

const auditOf = (options: ServeOptions): AuditLogSettings | undefined => {
  const { auditLogPath: path, auditPolicyFile: policyFile } = options
  if (path === undefined && policyFile !== undefined)
    throw new CommandFailed('--audit-policy-file needs --audit-log-path: otherwise nothing is logged')
  if (path === undefined) return undefined
  const { auditLogMaxsize: maxSize, auditLogMaxbackup: maxBackup, auditLogMaxage: maxAge } = options
  return { path, policyFile, maxSize: maxSize || 100, maxBackup, maxAge }
}

/** Nothing can be stored any more, and a new process may recover: the supervisor starts it. */
const endProcess = (error: Error): never => {
  terminalOn(process.stderr, process.env).failure(`${error.message}; the hub ends, and should be started again`)
  process.exit(1)
}

/** Succeeds when everything is ready, otherwise fails with the reasons. */
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
