import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { CommandFailed } from './command-failed.ts'
import { kubeconfigData } from './kubeconfig-document.ts'

export interface ExecPluginOptions {
  /** Absent = the current one. */
  readonly context?: string
  /** Of the kubeconfig: a command with a slash in it is looked for from here. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

interface Named {
  readonly name?: string
  readonly context?: { readonly user?: string }
  readonly user?: { readonly exec?: ExecConfig }
}

interface ExecConfig {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly installHint?: string
}

interface Config {
  readonly 'current-context'?: string
  readonly contexts?: readonly Named[]
  readonly users?: readonly Named[]
}

interface ExecCredential {
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
  }
}

/**
 * The kubeconfig with credentials in the place of its context's exec plugin, which is run as kubectl runs it: on this machine,
 * by a user whose own kubeconfig says so. Without a plugin it stays as it is. Fails with CommandFailed.
 */
export const withExecCredential = (text: string, { context, folder, env }: ExecPluginOptions): string => {
  const config = configIn(text)
  const contextName = context ?? config?.['current-context']
  const userName = config?.contexts?.find(({ name }) => name === contextName)?.context?.user
  const entry = config?.users?.find(({ name }) => name === userName)
  if (!config || !entry?.user?.exec) return text
  const { token, clientCertificateData, clientKeyData } = credentialOf(entry.user.exec, folder, env)
  const user = {
    token,
    'client-certificate-data': encoded(clientCertificateData),
    'client-key-data': encoded(clientKeyData),
  }
  return JSON.stringify({ ...config, users: config.users?.map(each => (each === entry ? { ...each, user } : each)) })
}

/** What is no YAML is for others to refuse, in the words for kubeconfigs. */
const configIn = (text: string): Config | undefined => {
  try {
    return kubeconfigData(text) as Config | undefined
  } catch {
    return undefined
  }
}

const credentialOf = (
  exec: ExecConfig,
  folder: string,
  env: NodeJS.ProcessEnv,
): NonNullable<ExecCredential['status']> => {
  const { apiVersion, command = '', args = [], installHint } = exec
  const program = command.includes('/') ? resolve(folder, command) : command
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: process.stdin.isTTY === true } }
  const { error, status, stdout } = spawnSync(program, args.map(String), {
    env: {
      ...env,
      ...Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    },
    stdio: ['inherit', 'pipe', 'inherit'], // it may ask for a password, and says itself what is wrong
    encoding: 'utf8',
    maxBuffer: 1 << 20,
  })
  const hint = installHint ? `\n${installHint}` : ''
  if (error) throw new CommandFailed(`the kubeconfig's plugin ${command} can't be run: ${error.message}${hint}`)
  if (status !== 0) throw new CommandFailed(`the kubeconfig's plugin ${command} ended with ${status}${hint}`)
  const credential = statusIn(stdout)
  if (credential?.token || credential?.clientCertificateData) return credential
  throw new CommandFailed(`the kubeconfig's plugin ${command} printed no credentials`)
}

const statusIn = (output: string): ExecCredential['status'] => {
  try {
    return (JSON.parse(output) as ExecCredential | null)?.status
  } catch {
    return undefined
  }
}

const encoded = (pem: string | undefined): string | undefined => pem && Buffer.from(pem).toString('base64')
