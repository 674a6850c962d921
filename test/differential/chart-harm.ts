import { randomBytes } from 'node:crypto'
import { normalize } from 'node:path'
import { chartFunctions } from '../../lib/engines/helm/functions.ts'
import { HelmError } from '../../lib/engines/helm/helm-error.ts'
import { renderChart } from '../../lib/engines/helm/render-chart.ts'
import { validateValues } from '../../lib/engines/helm/schema/validate-values.ts'
import { templateFiles } from '../../lib/engines/helm/template-output.ts'
import { mergeUserValues } from '../../lib/engines/helm/user-values.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import { BudgetExceeded } from '../../lib/foundations/budget/budget.ts'
import { loadChart } from '../../lib/sources/helm/chart.ts'
import { filesInArchive } from '../../lib/sources/helm/chart-archive.ts'
import { InvalidChart } from '../../lib/sources/helm/invalid-chart.ts'
import { lintChart } from '../../lib/sources/helm/lint/lint-chart.ts'
import type { DamagedChart } from './damaged-charts.ts'

const PROTOTYPES = [Object, Array, String, Map, Function, Error, Uint8Array].map(({ prototype }) => prototype)
const keysBefore = PROTOTYPES.map(prototype => Reflect.ownKeys(prototype).length)
const certifier = { now: Date.now, bytes: randomBytes, newKey }
const functions = chartFunctions(certifier)

/** Of processor time, since a busy machine stretches the clock's: much longer than any sound chart takes. Who waits for the ending notices one that only waits. */
const SECONDS = 30

/** What came of a damaged chart: what went wrong beyond a plain refusal; or the refusal, if it was one. */
export interface Ending {
  readonly harm?: string
  readonly refusal?: string
}

/** Loads, lints and renders a damaged chart. */
export const endingOf = async (chart: DamagedChart): Promise<Ending> => {
  const before = process.threadCpuUsage()
  const ending = await attempt(chart)
  const { user, system } = process.threadCpuUsage(before)
  const seconds = (user + system) / 1e6
  if (ending.harm !== undefined) return ending
  if (seconds > SECONDS) return { harm: `it took ${seconds.toFixed(1)} s of processor time` }
  if (PROTOTYPES.some((prototype, i) => Reflect.ownKeys(prototype).length !== keysBefore[i]))
    return { harm: 'a prototype of the language was changed' }
  return ending
}

const attempt = async (chart: DamagedChart): Promise<Ending> => {
  try {
    await lint(chart)
    const escaped = await pathsOutside(chart)
    return escaped.length > 0 ? { harm: `would write to ${escaped[0]}` } : {}
  } catch (error) {
    const isRefusal = error instanceof HelmError || error instanceof InvalidChart || error instanceof BudgetExceeded
    if (!isRefusal) return { harm: `no plain refusal: ${(error as Error).stack ?? String(error)}` }
    return error.message.trim() === '' ? { harm: 'an error without a message' } : { refusal: error.message }
  }
}

const valuesOf = ({ values, sets }: DamagedChart) =>
  mergeUserValues({
    files: [{ path: 'values.yaml', content: values }],
    sets: { set: sets },
    readFile: path => {
      throw new Error(`asked for the file ${path}`)
    },
  })

/** Of the chart as a folder, which has no files elsewhere. */
const lint = async (chart: DamagedChart): Promise<void> => {
  const inFolder = [...chart.files].filter(([path]) => normalize(`/${path}`) === `/${path}`)
  const tree = new Map(inFolder.map(([path, content]) => [path, { content, executable: false }]))
  if (!tree.has('Chart.yaml')) return
  const options = { namespace: 'apps', folder: '/chart', certifier, skipSchemaValidation: false }
  await lintChart(tree, { ...options, values: valuesOf(chart) })
}

/** Renders the archive, and gives the paths of the output that lead out of the folder which it would be written to. */
const pathsOutside = async (damaged: DamagedChart): Promise<readonly string[]> => {
  const user = valuesOf(damaged)
  const chart = await loadChart(await filesInArchive(damaged.archive))
  const rendered = renderChart(chart, user, {
    functions,
    release: { name: 'rel', namespace: 'apps', revision: 1, isUpgrade: false },
    validate: validateValues,
  })
  return templateFiles(rendered, { includeCrds: true })
    .map(({ path }) => path)
    .filter(path => path.startsWith('/') || path.split('/').includes('..'))
}
