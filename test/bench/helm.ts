import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { loadLocalChart } from '../../lib/cli/helm/local-chart.ts'
import { chartFunctions } from '../../lib/engines/helm/functions.ts'
import { readValues } from '../../lib/engines/helm/read-yaml.ts'
import { RenderCache } from '../../lib/engines/helm/render-cache.ts'
import { renderChart } from '../../lib/engines/helm/render-chart.ts'
import { validateValues } from '../../lib/engines/helm/schema/validate-values.ts'
import { templateOutput } from '../../lib/engines/helm/template-output.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import { newestHelmBinary } from '../bed/helm-binary.ts'
import { type HelmOracle, helmOracle } from '../bed/helm-oracle.ts'
import { packagedCommand } from '../bed/packaged-command.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { costOf } from './command-cost.ts'
import { table } from './table.ts'

export const description =
  "charts rendered in a process that runs, beside Helm's own engine, and by helm and keelson as processes: npm run bench -- helm CHART[,VALUES]..."

const ROUNDS = 5
const A_ROUND = 8
const WARM_UP = 10

const functions = chartFunctions({ now: Date.now, bytes: randomBytes, newKey })

/** Milliseconds of CPU time, which other work on the machine stretches less than the time that passes. */
interface Round {
  readonly ours: number
  readonly engine: number
  readonly helm: number
  readonly keelson: number
  /** Megabytes that the processes held at most. */
  readonly helmMemory: number
  readonly keelsonMemory: number
}

/** Each chart in turn by all four, so that what else the machine does befalls them alike; the least of the rounds counts. */
export const run = async (charts: readonly string[]): Promise<void> => {
  if (charts.length === 0)
    throw new Error('name folders or archives of charts, with a comma and a file of values if they need one')
  const helm = await newestHelmBinary()
  await using oracle = await helmOracle()
  await using folder = disposableDir()
  const keelson = [process.execPath, await packagedCommand(folder.path), 'helm']
  const rows: string[][] = []
  for (const each of charts) {
    const [path = '', file] = each.split(',')
    const values = file === undefined ? '' : readFileSync(file, 'utf8')
    const render = await renderer(path, values)
    let output = ''
    for (let i = 0; i < WARM_UP; i++) output = render()
    const rounds: Round[] = []
    const flags = ['template', 'rel', path, ...(file === undefined ? [] : ['-f', file])]
    for (let i = 0; i < ROUNDS; i++) rounds.push(await roundOf({ render, oracle, path, values, helm, keelson, flags }))
    rows.push([basename(path), `${Math.round(output.length / 1024)} KiB`, ...figuresOf(rounds)])
  }
  console.log(
    table(
      [
        'chart',
        'output',
        'ours, warm',
        "Helm's engine, warm",
        'helm',
        'helm / ours',
        'keelson',
        'keelson / helm',
        'MiB helm',
        'MiB keelson',
      ],
      rows,
    ),
  )
  console.log('CPU milliseconds, the least of the rounds')
  console.log(`most memory of this process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`)
}

const renderer = async (path: string, values: string): Promise<() => string> => {
  const chart = await loadLocalChart(path)
  const cache = new RenderCache()
  return () =>
    templateOutput(
      renderChart(chart, readValues(Buffer.from(values)), {
        functions,
        cache,
        release: { name: 'rel', namespace: 'apps', revision: 1, isUpgrade: false },
        validate: validateValues,
      }),
    )
}

interface Contest {
  readonly render: () => string
  readonly oracle: HelmOracle
  readonly path: string
  readonly values: string
  readonly helm: string
  /** The command as the package holds it. */
  readonly keelson: readonly string[]
  readonly flags: readonly string[]
}

const roundOf = async ({ render, oracle, path, values, helm, keelson, flags }: Contest): Promise<Round> => {
  const before = process.cpuUsage()
  for (let i = 0; i < A_ROUND; i++) render()
  const { user, system } = process.cpuUsage(before)
  const { cpuNanoseconds = 0, error } = await oracle.ask({ path, values, times: A_ROUND })
  if (error !== undefined) throw new Error(error)
  const [helmCost, keelsonCost] = [
    await costOf([helm, ...flags], process.env),
    await costOf([...keelson, ...flags], process.env),
  ]
  return {
    ours: (user + system) / 1000 / A_ROUND,
    engine: cpuNanoseconds / 1e6 / A_ROUND,
    helm: helmCost.cpuMs,
    keelson: keelsonCost.cpuMs,
    helmMemory: helmCost.peakMb,
    keelsonMemory: keelsonCost.peakMb,
  }
}

const figuresOf = (rounds: readonly Round[]): string[] => {
  const least = (field: keyof Round) => Math.min(...rounds.map(round => round[field]))
  const [ours, engine, helm, own] = [least('ours'), least('engine'), least('helm'), least('keelson')]
  return [
    ours.toFixed(1),
    engine.toFixed(1),
    helm.toFixed(0),
    `${(helm / ours).toFixed(1)} x`,
    own.toFixed(0),
    `${(own / helm).toFixed(1)} x`,
    least('helmMemory').toFixed(0),
    least('keelsonMemory').toFixed(0),
  ]
}
