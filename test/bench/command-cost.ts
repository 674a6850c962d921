import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A command's cost: `wait4` counts the CPU time of the whole process tree, and the memory of its largest process. */
const accountant = `
import json, resource, subprocess, sys, time
started = time.time()
out = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
wall = time.time() - started
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wallMs": wall * 1000, "cpuMs": (usage.ru_utime + usage.ru_stime) * 1000, "peakMb": usage.ru_maxrss / 1024, "out": out.decode()}))
`

export interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
  readonly peakMb: number
  readonly out: string
}

/** Runs a command once. What it prints as JSON counts as the cost of the work itself, without the start of the program. */
export const costOf = async (command: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> => {
  const { stdout } = await promisify(execFile)('python3', ['-c', accountant, ...command], { env })
  return JSON.parse(stdout) as Cost
}

/** Best times, and the largest memory. */
export const figuresOf = (costs: readonly Cost[]): (string | number)[] => {
  const best = (values: readonly number[]) => Math.round(Math.min(...values))
  const work = costs.flatMap(({ out }) =>
    out.startsWith('{') ? [JSON.parse(out) as { wallMs: number; cpuMs: number }] : [],
  )
  return [
    best(costs.map(({ wallMs }) => wallMs)),
    best(costs.map(({ cpuMs }) => cpuMs)),
    Math.round(Math.max(...costs.map(({ peakMb }) => peakMb))),
    ...(work.length > 0 ? [best(work.map(({ wallMs }) => wallMs)), best(work.map(({ cpuMs }) => cpuMs))] : ['', '']),
  ]
}
