import { spawnSync } from 'node:child_process'
import { build, printResources } from '../../../lib/engines/kustomize/build.ts'
import type { Remotes } from '../../../lib/engines/kustomize/remotes.ts'
import { Budget, type BudgetName } from '../../../lib/foundations/budget/budget.ts'
import { diskTree } from '../../../lib/platform/adapters/embedded/disk-tree.ts'
import { cpuSecondsOfEnded } from '../../bench/process-usage.ts'

/** What a build came to: its output, or the words with which it was refused. */
export interface Built {
  readonly output?: string
  readonly error?: string
  readonly milliseconds: number
  /** Of processors: other work on the machine does not make it longer. */
  readonly cpuMs: number
}

export interface BuiltByUs extends Built {
  readonly used: Readonly<Record<BudgetName, number>>
  /** It names something that has to be fetched. */
  readonly needsNetwork: boolean
}

/** Builds a folder of this machine in this process. Nothing is fetched. */
export const buildOurs = async (directory: string): Promise<BuiltByUs> => {
  let needsNetwork = false
  const refuse = async (): Promise<never> => {
    needsNetwork = true
    throw new Error('nothing is fetched here')
  }
  const remotes: Remotes = { file: refuse, repository: refuse }
  const budget = new Budget()
  const [started, usage] = [performance.now(), process.cpuUsage()]
  const ended = (result: { output: string } | { error: string }): BuiltByUs => ({
    ...result,
    milliseconds: performance.now() - started,
    cpuMs: cpuOf(process.cpuUsage(usage)),
    used: budget.used,
    needsNetwork,
  })
  try {
    const { resources } = await build(diskTree(), directory.slice(1), { remotes, budget })
    return ended({ output: printResources(resources) })
  } catch (error) {
    if ((error as Error).name !== 'KustomizeError') throw error
    return ended({ error: (error as Error).message })
  }
}

const cpuOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** What could fetch is kept from it: there is no git on its path, and its proxy is a port of this machine where nobody listens. */
const OFFLINE = {
  PATH: '/nowhere',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HOME: '/nowhere',
}

/** Builds the same folder with the real kustomize, in a process. */
export const buildTheirs = (binary: string, directory: string): Built => {
  const [started, usedBefore] = [performance.now(), cpuSecondsOfEnded()]
  const options = { encoding: 'utf8', env: OFFLINE, maxBuffer: 2 ** 30, timeout: 300_000 } as const
  const { status, stdout, stderr, error } = spawnSync(binary, [directory], options)
  const [milliseconds, cpuMs] = [performance.now() - started, (cpuSecondsOfEnded() - usedBefore) * 1000]
  if (error) throw error
  if (status === 0) return { output: stdout, milliseconds, cpuMs }
  return { error: stderr.replace(/^(?:#.*\n)*\d+\/\d+\/\d+ \d+:\d+:\d+ /, '').trim(), milliseconds, cpuMs }
}
