import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type CommandOptions, command, type Ending, ending } from './command.ts'
import { endWithTest, ifProcessEnds } from './teardown.ts'
import { kubectlProgram } from './testcluster.ts'

/** Runs the unmodified kubectl 1.36 with a kubeconfig and returns its stdout; fails with CommandFailed. */
export async function kubectl(
  kubeconfig: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  return command(await kubectlProgram(), args, withKubeconfig(kubeconfig, options))
}

/** The same, also when it fails: exit code, stdout and stderr. */
export async function kubectlEnding(
  kubeconfig: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ending> {
  return ending(await kubectlProgram(), args, withKubeconfig(kubeconfig, options))
}

/** An API as tests speak to it: by kubectl. */
export interface KubectlAccess {
  readonly kubeconfig: string
  /** Runs kubectl against it and returns stdout. */
  kubectl(...args: string[]): Promise<string>
  /** `kubectl apply` of manifests given as text. */
  apply(manifests: string): Promise<string>
  /** `kubectl get ... -o json`, parsed. */
  get<T = unknown>(...args: string[]): Promise<T>
}

export const kubectlAccess = (
  kubeconfig: string,
  options: Pick<CommandOptions, 'env' | 'network'> = {},
): KubectlAccess => ({
  kubeconfig,
  kubectl: (...args) => kubectl(kubeconfig, args, options),
  apply: input => kubectl(kubeconfig, ['apply', '-f', '-'], { ...options, input }),
  get: async (...args) => JSON.parse(await kubectl(kubeconfig, ['get', ...args, '-o', 'json'], options)),
})

const withKubeconfig = (kubeconfig: string, options: CommandOptions): CommandOptions => ({
  ...options,
  env: { ...kubectlEnv(kubeconfig), ...options.env },
})

/** What a kubectl that does not end by itself (`get --watch`) has printed so far; it is stopped when the test ends. */
export async function kubectlLines(
  kubeconfig: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<readonly string[]> {
  const child = spawn(await kubectlProgram(), args, {
    ...withKubeconfig(kubeconfig, options),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const forget = ifProcessEnds(() => child.kill())
  const ended = once(child, 'exit')
  endWithTest({
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
      forget()
    },
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', line => lines.push(line))
  return lines
}

/** An environment in which kubectl (or flux) uses one kubeconfig, and none of the user's settings and caches. */
export function kubectlEnv(kubeconfig: string): NodeJS.ProcessEnv {
  const home = join(dirname(kubeconfig), 'home')
  mkdirSync(home, { recursive: true })
  return { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig }
}
