import { templateOracle } from '../bed/template-oracle.ts'
import { differenceFromGo } from '../differential/template-difference.ts'
import { generatedTemplate } from '../differential/templates.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  "generated templates beside Go's text/template, with sprig and with the functions of a ResourceSet"

const REPORT_EVERY = 2000

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  await using oracle = await templateOracle()
  const tally = { rendered: 0, failed: 0 }
  for (let i = 0; performance.now() < until && i < trees; i++) {
    const generated = generatedTemplate(seed + i, i % 2 === 0 ? 'resourceset' : 'sprig')
    const difference = await differenceFromGo(oracle, generated, tally)
    if (difference !== undefined) {
      console.log(`\nseed ${seed + i}, ${generated.functions}: ${difference}`)
      process.exitCode = 1
      return
    }
    if (i % REPORT_EVERY === 0) console.log(`${tally.rendered} templates printed alike, ${tally.failed} failed alike`)
  }
  console.log(
    `${tally.rendered + tally.failed} templates beside Go's: none differs; ${tally.failed} of them are refused by both`,
  )
}
