import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { parseKubeVersion } from '../../engines/helm/capabilities.ts'
import { newKey } from '../../engines/template/certificates/private-key.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { filesInArchive } from '../../sources/helm/chart-archive.ts'
import { lintChart } from '../../sources/helm/lint/lint-chart.ts'
import { formatLintMessage, type LintMessage } from '../../sources/helm/lint/lint-message.ts'
import { CommandFailed } from '../command-failed.ts'
import { allowGoBooleans } from '../go-switches.ts'
import { withChartErrors } from './chart-errors.ts'
import { folderTree } from './local-chart.ts'
import { type ValueOptions, valuesOf, withValueOptions } from './value-options.ts'

interface LintCommandOptions extends ValueOptions {
  readonly namespace: string
  readonly kubeVersion?: string
  readonly quiet: boolean
  readonly strict: boolean
  readonly withSubcharts: boolean
  readonly skipSchemaValidation: boolean
}

/** `keelson helm lint`: the output and exit code of `helm lint`. */
export const lintCommand = (output: NodeJS.WritableStream): Command =>
  allowGoBooleans(
    withValueOptions(new Command('lint'))
      .summary('check charts for problems')
      .description('Checks charts as helm lint does. Fails if a chart could not be installed.')
      .argument('<chart...>', 'folders or archives of charts')
      .option('-n, --namespace <namespace>', 'namespace of the release', 'default')
      .option('--kube-version <version>', 'Kubernetes version for capabilities and deprecated kinds')
      .option('--quiet', 'print only warnings and errors', false)
      .option('--strict', 'fail on warnings too', false)
      .option('--with-subcharts', 'check the charts below charts/ too', false)
      .option('--skip-schema-validation', "don't validate the values against the chart's schema", false),
  ).action((charts: readonly string[], options: LintCommandOptions) =>
    withChartErrors(() => lint(charts, options, output)),
  )

const lint = async (
  given: readonly string[],
  options: LintCommandOptions,
  output: NodeJS.WritableStream,
): Promise<void> => {
  const charts = options.withSubcharts ? [...given, ...given.flatMap(subchartsOf)] : given
  let failed = 0
  let notable = 0
  for (const chart of charts) {
    const { messages, problem } = await check(chart, options)
    const shown = options.quiet ? messages.filter(({ severity }) => severity !== 'INFO') : messages
    const isBad = problem !== undefined || messages.some(isFailure(options))
    if (problem !== undefined || messages.some(({ severity }) => severity !== 'INFO')) notable++
    else if (options.quiet) continue
    if (isBad) failed++
    const lines = problem === undefined ? shown.map(formatLintMessage) : [`Error ${problem}`]
    output.write([`==> Linting ${chart}`, ...lines, ''].map(line => `${line}\n`).join(''))
  }
  const summary = `${charts.length} chart(s) linted, ${failed} chart(s) failed`
  if (failed > 0) throw new CommandFailed(summary)
  if (!options.quiet || notable > 0) output.write(`${summary}\n`)
}

const isFailure =
  ({ strict }: LintCommandOptions) =>
  ({ severity }: LintMessage): boolean =>
    severity === 'ERROR' || (strict && severity === 'WARNING')

const check = async (
  chart: string,
  options: LintCommandOptions,
): Promise<{ readonly messages: readonly LintMessage[]; readonly problem?: string }> => {
  const tree = await treeOf(chart)
  if (typeof tree === 'string') return { messages: [], problem: tree }
  if (!tree.has('Chart.yaml'))
    return {
      messages: [],
      problem: `unable to check Chart.yaml file in chart: stat ${join(chart, 'Chart.yaml')}: no such file or directory`,
    }
  const { namespace, kubeVersion, skipSchemaValidation } = options
  return {
    messages: await lintChart(tree, {
      ...{ namespace, skipSchemaValidation, values: valuesOf(options), folder: resolve(chart) },
      certifier: { now: Date.now, bytes: randomBytes, newKey },
      ...(kubeVersion !== undefined && { kubeVersion: parseKubeVersion(kubeVersion) }),
    }),
  }
}

/** The files of a chart, or Helm's message if they can't be read. */
const treeOf = async (chart: string): Promise<SourceTree | string> => {
  if (!/\.(?:tgz|tar\.gz)$/.test(chart))
    return existsSync(chart) && statSync(chart).isDirectory() ? folderTree(chart) : new Map()
  try {
    const files = await filesInArchive(readFileSync(chart))
    return new Map(files.map(({ name, data }) => [name, { content: data, executable: false }]))
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) return `unable to open tarball: open ${chart}: no such file or directory`
    return `unable to extract tarball: ${(error as Error).message}`
  }
}

/** Folders and archives of charts below `charts/`, in Helm's order. */
const subchartsOf = (chart: string): string[] => {
  const folder = join(chart, 'charts')
  if (!existsSync(folder)) return []
  return (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[]).sort().flatMap(path => {
    if (/\.(?:tgz|tar\.gz)$/.test(path)) return [join(folder, path)]
    return /(?:^|\/)Chart\.yaml$/.test(path) ? [join(folder, path, '..')] : []
  })
}
