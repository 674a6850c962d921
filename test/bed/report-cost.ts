/** Loaded by test/run.ts into each process that runs a test file: when that ends, adds its cost to a file. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { FileCost } from './file-costs.ts'

const [{ KEELSON_TEST_COSTS: costs }, [, file]] = [process.env, process.argv]

if (costs !== undefined && file !== undefined)
  process.once('exit', () => {
    const cost: FileCost = {
      file: relative(process.cwd(), file),
      seconds: process.uptime(),
      processorSeconds: processorSeconds(),
    }
    appendFileSync(costs, `${JSON.stringify(cost)}\n`)
  })

/** Node reports its own; Linux also that of all child processes that it has waited for, in hundredths: see proc_pid_stat(5). */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1e6
  if (!existsSync('/proc/self/stat')) return own
  // The second field is a name in parentheses, which may hold anything; of what follows it, those are the 14th and 15th.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
  return own + (Number(fields[13]) + Number(fields[14])) / 100
}
