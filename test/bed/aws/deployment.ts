import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { loopbackRanges } from '../../../lib/foundations/rules/address-policy.ts'
import { command } from '../command.ts'
import { endWithTest } from '../teardown.ts'
import { disposableDir } from '../temp-dir.ts'
import type { AwsEmulator } from './emulator.ts'

/** The stack of infra/, in an emulated account, by the real `cdk` CLI. */
export interface Deployment {
  /** Also the name of the stack. */
  readonly hubName: string
  /** What the deployment printed at its end. */
  readonly outputs: Readonly<Record<'HubUrl' | 'WebhookUrl' | 'Kubeconfig', string>>
  /** Deploys again, with the same context. Returns the CLI's output. */
  deploy(): Promise<string>
  /** `cdk destroy`. */
  destroy(): Promise<string>
}

export type DeploymentContext = Readonly<Record<string, string>> & { readonly hubName: string }

const root = join(import.meta.dirname, '../../..')

/** What the test bed serves to sources and clusters is at loopback addresses. */
const servedHere = { allowAddresses: loopbackRanges.join(',') }

/** Bootstraps the account and deploys the stack into it; half a minute, nearly all of it CDK's own. */
export const deployment = async (emulator: AwsEmulator, context: DeploymentContext): Promise<Deployment> =>
  endWithTest(await startDeployment(emulator, context))

/** The same, for use outside of tests: the caller disposes of its files. */
export async function startDeployment(
  emulator: AwsEmulator,
  context: DeploymentContext,
): Promise<Deployment & AsyncDisposable> {
  const { hubName } = context
  const dir = disposableDir()
  const project = projectIn(join(dir.path, 'project'))
  const env = {
    ...emulator.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(':'),
    HOME: dir.path,
    CDK_HOME: dir.path, // remembers accounts by access key, which all emulators share
    CDK_DISABLE_CLI_TELEMETRY: '1',
    CI: '1',
    XDG_CACHE_HOME: join(homedir(), '.cache'),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  }
  const outputsFile = join(dir.path, 'outputs.json')
  const cdk = (cwd: string, ...args: string[]) =>
    command(join(root, 'node_modules/.bin/cdk'), ['--no-notices', ...args], { cwd, env })
  const values = Object.entries({ ...servedHere, ...context }).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const app = ['--output', join(dir.path, 'cdk.out'), ...values]
  const deploy = () =>
    cdk(project, 'deploy', hubName, ...app, '--require-approval', 'never', '--outputs-file', outputsFile)

  // Outside of the project, so that the app is not run: what an account needs does not depend on it.
  await cdk(dir.path, 'bootstrap', `aws://${emulator.account}/${emulator.region}`)
  await deploy()
  return {
    hubName,
    outputs: JSON.parse(readFileSync(outputsFile, 'utf8'))[hubName],
    deploy,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
    destroy: () => cdk(project, 'destroy', hubName, '--app', join(dir.path, 'cdk.out'), '--force'),
  }
}

/** The project as it is now: deploying again must not differ because somebody is working on it. */
function projectIn(dir: string): string {
  for (const part of ['infra', 'lib', 'functions', 'events', 'docs', 'cdk.json', 'package.json'])
    cpSync(join(root, part), join(dir, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  return dir
}
