import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommandOptions, command } from './command.ts'
import { testcluster } from './testcluster.ts'

/** Runs the unmodified kubectl 1.36 with a kubeconfig and returns its stdout; fails with CommandFailed. */
export async function kubectl(
  kubeconfig: string,
  args: readonly string[],
  options: Pick<CommandOptions, 'input' | 'signal' | 'cwd'> = {},
): Promise<string> {
  return command(await testcluster(), ['kubectl', ...args], { ...options, env: kubectlEnv(kubeconfig) })
}

/** An environment in which kubectl (or flux) sees one kubeconfig and nothing of the user's own set-up and caches. */
export function kubectlEnv(kubeconfig: string): NodeJS.ProcessEnv {
  const home = join(dirname(kubeconfig), 'home')
  mkdirSync(home, { recursive: true })
  return { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig }
}
