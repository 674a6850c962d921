import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { awsOperator } from '../../compose/aws/operator.ts'
import type { JsonObject } from '../../engines/yaml/json-value.ts'
import { type AwsOptions, regionOf, withAwsOptions, withOneLineErrors } from '../aws-options.ts'
import { CommandFailed } from '../command-failed.ts'
import { kubeconfigData } from '../kubeconfig-document.ts'
import { type MergedKubeconfig, mergeKubeconfig } from '../merge-kubeconfig.ts'
import type { Terminal } from '../terminal.ts'

interface KubeconfigOptions extends AwsOptions {
  readonly url?: string
  readonly certificateAuthority?: string
  readonly kubeconfig?: string
  readonly alias?: string
  readonly exec: 'keelson' | 'aws'
  readonly data?: string
  readonly oidc: boolean
  readonly issuer?: string
  readonly clientId?: string
  readonly issuerCertificateAuthority?: string
  readonly scope: readonly string[]
  readonly device: boolean
  readonly dryRun: boolean
}

const examples = `
Examples:
  # After cdk deploy: the hub's address is taken from its stack
  keelson kubeconfig --hub keelson --region eu-west-1

  # As another role, under a name of its own
  keelson kubeconfig --region eu-west-1 --role-arn arn:aws:iam::111122223333:role/ops --alias prod

  # For people who log in with OpenID Connect
  keelson kubeconfig --region eu-west-1 --oidc --issuer https://login.example.com --client-id keelson

  # The same for a hub on this machine
  keelson kubeconfig --data .keelson --oidc --issuer https://login.example.com --client-id keelson

  # For a machine with the AWS CLI and without keelson
  keelson kubeconfig --region eu-west-1 --exec aws --dry-run > hub.kubeconfig
`

const collect = (value: string, list: readonly string[]): readonly string[] => [...list, value]

/** `keelson kubeconfig`: configures kubectl and flux for a hub, as `aws eks update-kubeconfig` does for a cluster. */
export const kubeconfigCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withAwsOptions(new Command('kubeconfig'))
    .summary('point kubectl at a hub')
    .description('Adds a hub to your kubeconfig, and makes it the current context. No secrets are written.')
    .option('--url <url>', "the hub's address (default: output HubUrl of the stack with the hub's name)")
    .option('--data <dir>', 'the hub with this data directory, on this machine (needs --oidc)')
    .option('--certificate-authority <file>', "trust this authority (PEM) in addition to the system's")
    .option('--kubeconfig <file>', 'file to change (default: the first of $KUBECONFIG, else ~/.kube/config)')
    .option('--alias <name>', 'name of the context (default: that of the hub)')
    .addOption(
      new Option('--exec <plugin>', 'command that kubectl runs for a token: this program, or aws eks get-token')
        .choices(['keelson', 'aws'])
        .default('keelson'),
    )
    .option('--oidc', 'log in with OpenID Connect instead of AWS credentials: kubectl runs keelson login', false)
    .option('--issuer <url>', "with --oidc: the issuer's URL")
    .option('--client-id <id>', 'with --oidc: the client that people log in as')
    .option('--issuer-certificate-authority <file>', "with --oidc: trust this authority (PEM) of the issuer's")
    .option('--scope <name>', 'with --oidc: a scope to request; may be repeated', collect, [])
    .option('--device', 'with --oidc: log in by a code, with a browser on any machine', false)
    .option('--dry-run', 'print the kubeconfig instead of writing it', false)
    .addHelpText('after', examples)
    .action((options: KubeconfigOptions) =>
      withOneLineErrors('no kubeconfig was written', () => writeKubeconfig(options, env, terminal)),
    )

const writeKubeconfig = async (
  options: KubeconfigOptions,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<void> => {
  const { hub, alias = hub } = options
  const file = resolve(options.kubeconfig ?? defaultFile(env))
  const exec = options.oidc ? loginOf(options) : execOf(options, regionOf(options, env))
  const entry = { name: alias, cluster: await clusterOf(options, env), user: { exec } }
  const merge = (text: string): MergedKubeconfig => {
    try {
      return mergeKubeconfig(text, entry)
    } catch (error) {
      throw new CommandFailed(`cannot add the hub to ${file}: ${(error as Error).message}`, { cause: error })
    }
  }
  if (options.dryRun) return terminal.print(merge('').text.trimEnd())
  const { text, replaced } = merge(textOf(file))
  replaceFile(file, text)
  terminal.success(`context ${alias} ${replaced ? 'updated' : 'added'} in ${file}`)
}

const clusterOf = async (options: KubeconfigOptions, env: NodeJS.ProcessEnv): Promise<JsonObject> => {
  const { data, oidc, certificateAuthority } = options
  if (data !== undefined) {
    if (!oidc) throw new CommandFailed('--data needs --oidc: for others, keelson user writes a kubeconfig')
    return clusterIn(join(data, 'kubeconfig'))
  }
  const server = options.url ?? (await urlOfStack(options, regionOf(options, env), env))
  if (!/^https:\/\/[^/]/.test(server))
    throw new CommandFailed(`${server} is not the address of a hub: it must begin with https://`)
  const cluster: JsonObject = { server: server.replace(/\/+$/, '') }
  if (certificateAuthority)
    cluster['certificate-authority-data'] = readFileSync(certificateAuthority).toString('base64')
  return cluster
}

/** Address and authority of the hub with this administrator's kubeconfig. */
const clusterIn = (file: string): JsonObject => {
  const text = textOf(file)
  if (!text)
    throw new CommandFailed(
      `${dirname(file)} does not contain a hub: run keelson serve --data ${dirname(file)} once to create it`,
    )
  const { clusters } = kubeconfigData(text) as { readonly clusters: readonly [{ readonly cluster: JsonObject }] }
  return clusters[0].cluster
}

const loginOf = ({ issuer, clientId, scope, device, ...options }: KubeconfigOptions): JsonObject => {
  if (!issuer || !clientId) throw new CommandFailed('--oidc needs --issuer and --client-id')
  const scopes = scope.flatMap(name => ['--scope', name])
  const { issuerCertificateAuthority: ca } = options
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: [
      ...[process.argv[1]!, 'login', '--issuer', issuer, '--client-id', clientId],
      ...[...scopes, ...(device ? ['--device'] : []), ...(ca ? ['--certificate-authority', resolve(ca)] : [])],
    ],
    interactiveMode: 'IfAvailable',
    provideClusterInfo: false,
  }
}

const urlOfStack = async (options: AwsOptions, region: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const { hub } = options
  const url = await awsOperator({ ...options, region, environment: env }).stackOutput(hub, 'HubUrl')
  if (url) return url
  throw new CommandFailed(
    `the stack ${hub} in ${region} is not a hub: it has no output HubUrl. Pass the address with --url`,
  )
}

/** Both commands return a token for this hub, created from the caller's AWS credentials. */
const execOf = ({ exec, hub, roleArn, profile }: KubeconfigOptions, region: string): JsonObject => {
  const own = exec === 'keelson'
  const args = own
    ? [process.argv[1]!, 'token', '--hub', hub, '--region', region]
    : ['--region', region, 'eks', 'get-token', '--cluster-name', hub, '--output', 'json']
  const withProfile = profile && own ? ['--profile', profile] : []
  return {
    apiVersion: own ? 'client.authentication.k8s.io/v1' : 'client.authentication.k8s.io/v1beta1',
    command: own ? process.execPath : 'aws',
    args: [...args, ...(roleArn ? ['--role-arn', roleArn] : []), ...withProfile],
    ...(profile && !own && { env: [{ name: 'AWS_PROFILE', value: profile }] }),
    interactiveMode: 'IfAvailable',
    provideClusterInfo: false,
  }
}

const defaultFile = ({ KUBECONFIG = '', HOME = homedir() }: NodeJS.ProcessEnv): string =>
  KUBECONFIG.split(delimiter).find(path => path !== '') ?? join(HOME, '.kube', 'config')

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Atomically, following links, and keeping the file mode. */
const replaceFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  const found = statSync(file, { throwIfNoEntry: false })
  const target = found ? realpathSync(file) : file
  const half = `${target}.${process.pid}.tmp`
  writeFileSync(half, text, { mode: found ? found.mode & 0o777 : 0o600 })
  renameSync(half, target)
}
