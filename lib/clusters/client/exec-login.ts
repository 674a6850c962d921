import { basename } from 'node:path/posix'
import { KubeconfigError } from './kubeconfig-error.ts'

/** An `exec` entry of a kubeconfig that we implement ourselves: a token for an EKS cluster. */
export interface EksLogin {
  readonly clusterName: string
  /** Derived from the server's address if absent. */
  readonly region?: string
  /** Assumes this role. */
  readonly roleArn?: string
  readonly externalId?: string
  readonly sessionName?: string
}

const instead =
  'programs are not run; use a token, a client certificate, `aws eks get-token`, `aws-iam-authenticator token`, or spec.kubeConfig.configMapRef'

/**
 * Reads the `exec` entry of a kubeconfig's user. Nothing is executed: `aws eks get-token` and `aws-iam-authenticator
 * token` are recognized by their arguments, everything else is refused. Fails with a KubeconfigError that names the
 * alternatives.
 */
export const eksLoginOf = (exec: unknown, place: string): EksLogin => {
  const { command, args, env } = (exec ?? {}) as { command?: unknown; args?: unknown; env?: unknown }
  const program = basename(typeof command === 'string' ? command : '').replace(/\.exe$/, '')
  const words = (Array.isArray(args) ? args : []).map(String)
  const form = forms.get(program)
  if (!form) throw new KubeconfigError(`kubeconfig: ${place}: ${JSON.stringify(program)} is not supported: ${instead}`)
  const { options, operands } = parsed(words, form.options, place)
  if (operands.join(' ') !== form.command)
    throw new KubeconfigError(`kubeconfig: ${place}: of ${program} only \`${form.command}\` is supported: ${instead}`)
  const region = options.get('region') ?? regionIn(env, place)
  const clusterName = options.get('cluster')
  if (!clusterName) throw new KubeconfigError(`kubeconfig: ${place}.args: ${form.clusterOption} is missing`)
  return {
    clusterName,
    ...(region && { region }),
    ...optional('roleArn', options.get('role')),
    ...optional('externalId', options.get('externalId')),
    ...optional('sessionName', options.get('session')),
  }
}

const optional = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })

/** How an option is handled: its value is used, or it is ignored (with or without a value), or refused. */
type Meaning = 'cluster' | 'region' | 'role' | 'externalId' | 'session' | 'ignored' | 'ignored switch' | 'refused'

interface Form {
  readonly command: string
  readonly clusterOption: string
  readonly options: Readonly<Record<string, Meaning>>
}

const forms: ReadonlyMap<string, Form> = new Map(
  Object.entries<Form>({
    aws: {
      command: 'eks get-token',
      clusterOption: '--cluster-name',
      options: {
        '--cluster-name': 'cluster',
        '--cluster-id': 'cluster',
        '--region': 'region',
        '--role-arn': 'role',
        '--profile': 'refused',
        '--output': 'ignored',
        '--no-cli-pager': 'ignored switch',
      },
    },
    'aws-iam-authenticator': {
      command: 'token',
      clusterOption: '--cluster-id',
      options: {
        '--cluster-id': 'cluster',
        '-i': 'cluster',
        '--region': 'region',
        '--role': 'role',
        '-r': 'role',
        '--external-id': 'externalId',
        '-e': 'externalId',
        '--session-name': 'session',
        '-s': 'session',
        '--cache': 'ignored switch',
        '--forward-session-name': 'ignored switch',
        '--token-only': 'refused',
      },
    },
  }),
)

const parsed = (words: readonly string[], known: Form['options'], place: string) => {
  const options = new Map<string, string>()
  const operands: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (!word.startsWith('-')) {
      operands.push(word)
      continue
    }
    const [name = '', given] = word.split(/=(.*)/s)
    const meaning = Object.hasOwn(known, name) ? known[name] : undefined
    if (meaning === undefined) throw new KubeconfigError(`kubeconfig: ${place}.args: ${name} is not supported`)
    if (meaning === 'refused') throw new KubeconfigError(`kubeconfig: ${place}.args: ${name} ${refusal(name)}`)
    if (meaning === 'ignored switch') continue
    const value = given ?? words[++at]
    if (value === undefined) throw new KubeconfigError(`kubeconfig: ${place}.args: ${name} has no value`)
    if (meaning !== 'ignored') options.set(meaning, value)
  }
  return { options, operands }
}

const refusal = (name: string): string =>
  name === '--profile'
    ? 'refers to a profile of another machine: remove it, and let the hub assume a role with --role-arn'
    : 'is not supported'

const harmless = new Set(['AWS_STS_REGIONAL_ENDPOINTS', 'AWS_DEFAULT_OUTPUT', 'AWS_PAGER'])

/** Credentials don't belong in a kubeconfig's environment, and a profile means something on its author's machine only. */
const regionIn = (env: unknown, place: string): string | undefined => {
  let region: string | undefined
  for (const entry of Array.isArray(env) ? env : []) {
    const { name, value } = (entry ?? {}) as { name?: unknown; value?: unknown }
    if (name === 'AWS_REGION' || name === 'AWS_DEFAULT_REGION') region = String(value)
    else if (!harmless.has(String(name)))
      throw new KubeconfigError(
        `kubeconfig: ${place}.env: ${String(name)} is not used: the hub uses its own identity, or the role of --role-arn`,
      )
  }
  return region
}
