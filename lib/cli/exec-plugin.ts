import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { CommandFailed } from './command-failed.ts'
import { kubeconfigData } from './kubeconfig-document.ts'

export interface ExecPluginOptions {
  /** Absent = the current one. */
  readonly context?: string
  /** Folder of the kubeconfig: commands that contain a slash are relative to it. */
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
 * Replaces the exec plugin of a kubeconfig's context by credentials from running it, as kubectl does: on this machine, for a user whose own
 * kubeconfig names it. Returns a kubeconfig without a plugin unchanged. Fails with CommandFailed.
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

/** Invalid YAML is reported later, as for all kubeconfigs. */
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
    stdio: ['inherit', 'pipe', 'inherit'], // the plugin may prompt for a password, and reports errors itself
    encoding: 'utf8',
    maxBuffer: 1 << 20,
  })
  const hint = installHint ? `\n${installHint}` : ''
  if (error) throw new CommandFailed(`the kubeconfig's plugin ${command} failed to start: ${error.message}${hint}`)
  if (status !== 0) throw new CommandFailed(`the kubeconfig's plugin ${command} exited with code ${status}${hint}`)
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
