/**
 * Records what the real Helm makes of the charts of public repositories: `node test/recorders/charts.ts REPOSITORIES DIR`.
 *
 * REPOSITORIES holds a checkout per repository. DIR/helm-template is written: the charts, with what they depend on where some repository
 * at hand has it, the outputs, and cases.jsonl; `npm run conformance -- helm-template DIR` compares. `--shipped 3` is how many of a chart's
 * own values files are taken at most, `--only NAME` takes one repository, and may be repeated.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { newestHelmBinary } from '../bed/helm-binary.ts'
import { copyChart } from './charts/copy-chart.ts'
import { type FoundChart, foundCharts } from './charts/found-charts.ts'
import { helmOutcome } from './charts/helm-outcome.ts'
import { defaults, type ValuesSet, valuesSets } from './charts/values-sets.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { shipped: { type: 'string', default: '3' }, only: { type: 'string', multiple: true } },
})
const [repositories, directory] = positionals
if (!repositories || !directory) throw new Error('usage: node test/recorders/charts.ts REPOSITORIES DIR')
const out = join(resolve(directory), 'helm-template')
const helm = await newestHelmBinary()
const known = foundCharts(resolve(repositories))
const charts = options.only
  ? options.only.flatMap(name => known.filter(({ repository }) => repository === name))
  : known
const tally = { charts: 0, incomplete: 0, rendered: 0, refused: 0, unsteady: 0 }

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const chart of charts) await record(chart)
console.log(
  `${tally.charts} charts, ${tally.incomplete} of them without what they depend on: ` +
    `${tally.rendered} outputs, ${tally.refused} refusals; ${tally.unsteady} left out, whose outputs differ in length from run to run`,
)

/** Of a chart that lacks what it depends on Helm says the same whatever the values. */
async function record(chart: FoundChart): Promise<void> {
  const path = join('tree', chart.repository, chart.path)
  copyChart(chart, join(out, path), known)
  tally.charts++
  const first = await recordingOf(chart, path, defaults)
  const isIncomplete = first?.error?.includes('missing in charts/ directory')
  if (isIncomplete) tally.incomplete++
  const others = isIncomplete ? [] : valuesSets(join(out, path), tally.charts, Number(options.shipped))
  const all = [first, ...(await Promise.all(others.map(set => recordingOf(chart, path, set))))]
  for (const one of all) {
    if (!one) tally.unsteady++
    else tally[one.error === null ? 'rendered' : 'refused']++
    if (one) appendFileSync(join(out, 'cases.jsonl'), `${JSON.stringify(one)}\n`)
  }
  console.log(`${tally.charts} of ${charts.length}: ${chart.repository}/${chart.path}`)
}

/** A case; undefined when Helm's output has not the same lines twice. */
async function recordingOf(chart: FoundChart, path: string, set: ValuesSet) {
  const id = [chart.repository, chart.path, set.name].join('-').replace(/[^\w.-]+/g, '-')
  const values = (set.files ?? []).map(file => join(path, file))
  if (set.values) values.push(write(`values/${id}.json`, JSON.stringify(set.values)))
  const args = set.args ?? []
  const what = set.command === 'lint' ? ['lint', path] : ['template', 'rel', path]
  const outcome = await helmOutcome(helm, [...what, '-n', 'apps', ...values.flatMap(file => ['-f', file]), ...args], {
    cwd: out,
    readsClock: readsClock(join(out, path)),
  })
  if (outcome === undefined) return undefined
  const { stdout, error, mask } = outcome
  const isPrinted = error === null || set.command === 'lint'
  return {
    ...{ id, repo: chart.repository, path: chart.path, chart: path, release: 'rel', namespace: 'apps', values, args },
    ...(set.command && { command: set.command }),
    stdout: isPrinted ? write(`expected/${id}.txt`, stdout) : null,
    sha256: isPrinted ? createHash('sha256').update(stdout).digest('hex') : null,
    error,
    ...(mask.length > 0 && { mask }),
  }
}

/** Whether some template of the chart asks what time it is. */
function readsClock(chart: string): boolean {
  return globSync('**/templates/**/*.*', { cwd: chart, withFileTypes: true }).some(
    file =>
      file.isFile() && /\b(?:now|date|htmlDate|ago)\b/.test(readFileSync(join(file.parentPath, file.name), 'utf8')),
  )
}

function write(path: string, text: string): string {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
  return path
}
