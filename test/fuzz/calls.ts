import { templateOracle } from '../bed/template-oracle.ts'
import { functionCalls } from '../differential/function-calls.ts'
import { differenceFromGo } from '../differential/template-difference.ts'
import type { FuzzSettings } from './run.ts'

export const description = 'every function of templates, called with two arguments of every type, beside Go (30 s)'

export const run = async ({ until, trees }: FuzzSettings): Promise<void> => {
  await using oracle = await templateOracle()
  const tally = { rendered: 0, failed: 0 }
  let differing = 0
  let calls = 0
  for (const call of functionCalls(2)) {
    if (calls >= trees || performance.now() > until) break
    calls++
    const difference = await differenceFromGo(oracle, call, tally)
    if (difference === undefined) continue
    console.log(difference)
    differing++
    process.exitCode = 1
  }
  console.log(`${calls} calls beside Go's: ${differing} differ; ${tally.failed} of them are refused`)
}
