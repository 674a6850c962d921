import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadLocalChart } from '../../lib/cli/helm/local-chart.ts'
import { chartFunctions } from '../../lib/engines/helm/functions.ts'
import { renderChart } from '../../lib/engines/helm/render-chart.ts'
import { validateValues } from '../../lib/engines/helm/schema/validate-values.ts'
import { templateOutput } from '../../lib/engines/helm/template-output.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import { TemplateCache } from '../../lib/engines/template/template.ts'
import { helmOracle } from '../bed/helm-oracle.ts'
import { table } from './table.ts'

export const description =
  "charts rendered in a process that runs, beside Helm's own engine: npm run bench -- helm CHART..."

const ROUNDS = 40

const functions = chartFunctions({ now: Date.now, bytes: randomBytes, newKey })

/** Renders every chart again and again, with its defaults, and prints milliseconds per rendering: median of ours, mean of Helm's. */
export const run = async (charts: readonly string[]): Promise<void> => {
  if (charts.length === 0) throw new Error('name folders or archives of charts')
  await using oracle = await helmOracle()
  const rows: string[][] = []
  for (const path of charts) {
    const chart = await loadLocalChart(path)
    const cache = new TemplateCache()
    const render = () => {
      const rendered = renderChart(chart, new Map(), {
        functions,
        cache,
        release: { name: 'rel', namespace: 'apps', revision: 1, isUpgrade: false },
        validate: validateValues,
      })
      return templateOutput(rendered)
    }
    const output = render()
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now()
      render()
      return performance.now() - start
    }).sort((a, b) => a - b)
    const ours = times[ROUNDS / 2]!
    const answer = await oracle.ask({ path, values: '', times: ROUNDS })
    const theirs = (answer.nanoseconds ?? 0) / ROUNDS / 1e6
    rows.push([
      path.split('/').at(-1)!,
      `${Math.round(output.length / 1024)} KiB`,
      ours.toFixed(1),
      theirs.toFixed(1),
      `${(theirs / ours).toFixed(1)} x`,
      coldMilliseconds(path),
    ])
  }
  console.log(
    table(
      ['chart', 'output', 'ours, warm (ms)', "Helm's engine, warm (ms)", 'ratio', 'keelson helm template, cold (ms)'],
      rows,
    ),
  )
  console.log(`most memory of this process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`)
}

const keelson = join(import.meta.dirname, '../../lib/cli/keelson.js')

/** The best of three whole processes. */
const coldMilliseconds = (path: string): string => {
  if (!existsSync(path)) return ''
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now()
    execFileSync(process.execPath, [keelson, 'helm', 'template', 'rel', path], { stdio: 'ignore', maxBuffer: 1 << 28 })
    return performance.now() - start
  })
  return Math.min(...times).toFixed(0)
}
