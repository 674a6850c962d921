import { readFileSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { portableKubeconfig } from '../../clusters/client/portable-kubeconfig.ts'
import { inClusterKubeconfig } from '../../compose/in-cluster.ts'
import { jsonLog, type LogLevel } from '../../compose/json-log.ts'
import { RunnerFailed, runRunner } from '../../compose/runner.ts'
import { readPublicKey, type TrustedKey } from '../../sources/verify/public-key.ts'
import { CommandFailed } from '../command-failed.ts'
import { addressRanges, duration } from '../option-values.ts'
import { asYaml, type ManifestOptions, runnerInCluster, withManifestOptionsAlone } from '../runner-in-cluster.ts'
import { type KeyOptions, readRunnerKeys, withKeyOptions } from '../runner-keys.ts'
import { runnerManifests } from '../runner-manifests.ts'
import type { Terminal } from '../terminal.ts'

interface RunnerOptions extends KeyOptions {
  readonly hub?: string
  readonly cluster?: string
  readonly certificateAuthority?: string
  readonly joinToken?: string
  readonly live: boolean
  readonly allowAddresses: readonly string[]
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
export const runnerCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream, terminal: Terminal): Command =>
  withKeyOptions(new Command('runner'))
    .enablePositionalOptions()
    .summary('apply to a cluster that the hub cannot reach')
    .description(
      'Applies the Kustomizations, HelmReleases and ResourceSets of one Cluster from beside it: gets them from the hub, and reports to it. Opens no port. HTTPS_PROXY and NO_PROXY hold for its way to the hub.',
    )
    .option('--hub <url>', "address of the hub's API")
    .option('--cluster <namespace/name>', 'the Cluster on the hub')
    .option('--certificate-authority <file>', "authority of the hub's certificate, in PEM (default: the system's)")
    .addOption(
      new Option('--join-token <token>', 'the token of keelson join, for the first start').env('KEELSON_JOIN_TOKEN'),
    )
    .option(
      '--live',
      'let users of the hub see objects, events and logs of this cluster, as far as it lets them: the runner impersonates them, and the hub reads what they see',
      false,
    )
    .addOption(
      new Option(
        '--allow-addresses <ranges>',
        'loopback and link-local addresses that units may name all the same, as IP addresses and CIDR ranges',
      )
        .argParser(addressRanges)
        .default([], 'none'),
    )
    .option('--data <dir>', 'where the runner keeps its key and its copy', '.keelson-runner')
    .option('--kubeconfig <file>', "access to the cluster (default: the account of the runner's Pod)")
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--poll <duration>', 'time between two requests to a hub that does not hold them until there is news')
        .argParser(duration)
        .default(2_000, '2s'),
    )
    .addOption(
      new Option('--log-level <level>', 'write log lines as JSON to standard error')
        .choices(['info', 'error', 'none'])
        .default('error'),
    )
    .addHelpText('after', examples)
    .allowExcessArguments()
    .action((options: RunnerOptions, command: Command) => {
      // commander takes the name of an unknown subcommand for an argument here.
      if (command.args.length > 0) (command as unknown as { unknownCommand(): never }).unknownCommand()
      return run(options, env, terminal)
    })
    .addCommand(upgradeManifest(output))

const upgradeExamples = `
Examples:
  # The runner of a newer version, with the rights that it had
  keelson runner upgrade-manifest ships/aurora --image registry.example.org/keelson:1.1 \\
    --hub-url https://hub.example.org --into-namespaces apps,web | kubectl apply --server-side -f -
`

/** Prints what `keelson join` has applied, for another image and without a token. */
const upgradeManifest = (output: NodeJS.WritableStream): Command =>
  withManifestOptionsAlone(
    new Command('upgrade-manifest')
      .summary('print what runs a runner of another version')
      .description(
        'Prints what keelson join --image has applied, for another image and without a token: the runner keeps its key.',
      )
      .argument('<cluster>', 'the Cluster on the hub, as NAMESPACE/NAME'),
  )
    .addHelpText('after', upgradeExamples)
    .action((cluster: string, options: ManifestOptions) => {
      requireCluster(cluster, 'the Cluster')
      const it = runnerInCluster(cluster, options, {})
      if (!it) throw new CommandFailed('--image is missing')
      output.write(asYaml(runnerManifests(it)))
    })

function requireCluster(cluster: string | undefined, what: string): asserts cluster {
  if (cluster === undefined || !/^[^/]+\/[^/]+$/.test(cluster))
    throw new CommandFailed(`${what} must be NAMESPACE/NAME`)
}

const run = async (options: RunnerOptions, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<void> => {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const { hub, cluster, joinToken, data, poll, certificateAuthority } = options
  if (hub === undefined || !/^https:\/\//.test(hub)) throw new CommandFailed('--hub must be an https URL')
  requireCluster(cluster, '--cluster')
  const { decryptionKeys, ...demands } = options
  const { verifyKeys, planKeys, planSignatures } = readRunnerKeys(demands)
  try {
    if (decryptionKeys !== undefined) await access(decryptionKeys)
    await runRunner(
      {
        decryptionKeys,
        isLive: options.live,
        allowAddresses: options.allowAddresses,
        verifyKeys: verifyKeys.map(trusted),
        planKeys: planKeys.map(trusted),
        planSignatures,
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

const trusted = (pem: string): TrustedKey => readPublicKey(Buffer.from(pem))

/** Read for each pass: tokens of Pods are replaced every hour. */
const kubeconfigOf = async ({ kubeconfig: file, context }: RunnerOptions, env: NodeJS.ProcessEnv): Promise<string> => {
  if (file === undefined) return inClusterKubeconfig(env, path => readFile(path, 'utf8'))
  const readBeside = (path: string): string => readFileSync(resolve(dirname(file), path), 'utf8')
  return portableKubeconfig(await readFile(file, 'utf8'), { context, readFile: readBeside }).text
}
