import { helmOracle } from '../bed/helm-oracle.ts'
import { generatedChart } from '../differential/charts.ts'
import { differenceFromHelm, shrunkChart } from '../differential/helm-difference.ts'
import type { FuzzSettings } from './run.ts'

export const description = 'generated charts with subcharts, conditions, imports, tpl and hooks, beside Helm'

const REPORT_EVERY = 1000

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  await using oracle = await helmOracle()
  const tally = { rendered: 0, refused: 0 }
  for (let i = 0; performance.now() < until && i < trees; i++) {
    const chart = generatedChart(seed + i)
    const difference = await differenceFromHelm(oracle, chart, tally)
    if (difference !== undefined) {
      const { files, values } = await shrunkChart(oracle, chart)
      console.log(`\nseed ${seed + i}: ${difference}\n\nvalues: ${values}`)
      for (const [name, text] of Object.entries(files)) console.log(`\n# ${name}\n${text}`)
      process.exitCode = 1
      return
    }
    if (i % REPORT_EVERY === 0) console.log(`${tally.rendered} charts rendered alike, ${tally.refused} refused alike`)
  }
  console.log(
    `${tally.rendered + tally.refused} charts beside Helm's: none differs; ${tally.refused} of them are refused by both`,
  )
}
