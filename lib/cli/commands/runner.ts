import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { portableKubeconfig } from '../../clusters/client/portable-kubeconfig.ts'
import { inClusterKubeconfig } from '../../compose/in-cluster.ts'
import { jsonLog, type LogLevel } from '../../compose/json-log.ts'
import { RunnerFailed, runRunner } from '../../compose/runner.ts'
import { CommandFailed } from '../command-failed.ts'
import { duration } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

interface RunnerOptions {
  readonly hub: string
  readonly cluster: string
  readonly certificateAuthority?: string
  readonly joinToken?: string
  readonly data: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly poll: number
  readonly logLevel: LogLevel
}

const examples = `
Examples:
  # In a Pod of the cluster, with the Pod's own account; keelson join prints the token
  keelson runner --hub https://hub.example.org --cluster ships/aurora --join-token "$TOKEN"

  # On a machine that reaches the cluster
  keelson runner --hub https://hub.example.org --cluster ships/aurora --kubeconfig ~/.kube/config
`

/** `keelson runner`: reconciles the units of a cluster that the hub can't reach, until it is stopped. */
export const runnerCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  new Command('runner')
    .summary('apply to a cluster that the hub cannot reach')
    .description(
      'Applies the Kustomizations and HelmReleases of one Cluster from beside it: gets them from the hub, and reports to it. Opens no port. HTTPS_PROXY and NO_PROXY hold for its way to the hub.',
    )
    .requiredOption('--hub <url>', "address of the hub's API")
    .requiredOption('--cluster <namespace/name>', 'the Cluster on the hub')
    .option('--certificate-authority <file>', "authority of the hub's certificate, in PEM (default: the system's)")
    .addOption(
      new Option('--join-token <token>', 'the token of keelson join, for the first start').env('KEELSON_JOIN_TOKEN'),
    )
    .option('--data <dir>', 'where the runner keeps its key and its copy', '.keelson-runner')
    .option('--kubeconfig <file>', "access to the cluster (default: the account of the runner's Pod)")
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--poll <duration>', 'time between two requests to the hub').argParser(duration).default(2_000, '2s'),
    )
    .addOption(
      new Option('--log-level <level>', 'write log lines as JSON to standard error')
        .choices(['info', 'error', 'none'])
        .default('error'),
    )
    .addHelpText('after', examples)
    .action((options: RunnerOptions) => run(options, env, terminal))

const run = async (options: RunnerOptions, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<void> => {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const { hub, cluster, joinToken, data, poll, certificateAuthority } = options
  if (!/^https:\/\//.test(hub)) throw new CommandFailed('--hub must be an https URL')
  if (!/^[^/]+\/[^/]+$/.test(cluster)) throw new CommandFailed('--cluster must be NAMESPACE/NAME')
  try {
    await runRunner(
      {
        ...{ hub, cluster, joinToken, pollMs: poll, dataDirectory: data },
        ...(certificateAuthority && { certificateAuthority: await readFile(certificateAuthority, 'utf8') }),
        kubeconfig: () => kubeconfigOf(options, env),
        log: jsonLog(process.stderr, options.logLevel, Date.now),
        onReady: () => terminal.success(`runner ready for Cluster ${cluster} of ${hub}`),
      },
      stop.signal,
    )
  } catch (error) {
    if (error instanceof RunnerFailed || (error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new CommandFailed((error as Error).message, { cause: error })
    throw error
  } finally {
    // Abandoned connections would keep the process alive until their timeouts.
    setTimeout(() => process.exit(), 100).unref()
  }
}

/** Read for each pass: tokens of Pods are replaced every hour. */
const kubeconfigOf = async ({ kubeconfig: file, context }: RunnerOptions, env: NodeJS.ProcessEnv): Promise<string> => {
  if (file === undefined) return inClusterKubeconfig(env, path => readFile(path, 'utf8'))
  const readBeside = (path: string): string => readFileSync(resolve(dirname(file), path), 'utf8')
  return portableKubeconfig(await readFile(file, 'utf8'), { context, readFile: readBeside }).text
}
