import { setTimeout } from 'node:timers/promises'
import { ending } from '../../bed/command.ts'

/** What helm came to; paths are below the folder that it was run in. */
export interface HelmOutcome {
  readonly stdout: string
  /** The lines of its failure, without what it logs; null when it ended well. */
  readonly error: string | null
  /** Lines, from 0, that differ from run to run. */
  readonly mask: readonly number[]
}

/**
 * Runs helm twice, to see what chance has made, and the clock, for which `readsClock` has it wait a second; undefined when the two have
 * another number of lines, and when one takes more than a minute or 6 GB: a number by chance may ask for a hundred million documents.
 */
export const helmOutcome = async (
  helm: string,
  args: readonly string[],
  { cwd, readsClock }: { readonly cwd: string; readonly readsClock: boolean },
): Promise<HelmOutcome | undefined> => {
  const again = async () => {
    if (readsClock) await setTimeout(1100)
    return run(helm, args, cwd)
  }
  const [first, second] = await Promise.all([run(helm, args, cwd), again()])
  const [lines, others] = [first.stdout.split('\n'), second.stdout.split('\n')]
  if (first.exitCode !== second.exitCode || !(first.exitCode === 0 || first.exitCode === 1)) return undefined
  if (lines.length !== others.length) return undefined
  const mask = lines.flatMap((line, i) => (line === others[i] ? [] : [i]))
  const masked = lines.map((line, i) => (line === others[i] ? line : '(random)'))
  return { stdout: masked.join('\n'), error: first.exitCode === 0 ? null : first.error, mask }
}

const WITHIN_LIMITS = 'ulimit -v 6000000; exec timeout --signal KILL 60 "$@"'

const run = async (helm: string, args: readonly string[], cwd: string) => {
  const env = { HELM_CACHE_HOME: cwd, HELM_CONFIG_HOME: cwd, HELM_DATA_HOME: cwd, KUBECONFIG: '/dev/null' }
  const limited = ['-c', WITHIN_LIMITS, 'sh', helm, ...args]
  const { exitCode, stdout, stderr } = await ending('/bin/sh', limited, { cwd, env })
  const said = stderr.split('\n').filter(line => !/^(?:level=|time=|\d{4}\/\d\d\/\d\d )/.test(line))
  return { stdout: stdout.replaceAll(`${cwd}/`, ''), error: said.join('\n').trim(), exitCode }
}
