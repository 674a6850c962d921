import type { ValueMap } from '../../../engines/template/values/value.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { SourceTree } from '../../artifact/source-tree.ts'
import { type Chart, loadChart } from '../chart.ts'
import { filesInFolder } from '../chart-folder.ts'
import { lintChartFile } from './chart-file-rules.ts'
import { lintCrds } from './crd-rules.ts'
import { lintDependencies } from './dependency-rules.ts'
import { type LintMessage, LintReport } from './lint-message.ts'
import { lintTemplates, type TemplateLintOptions } from './template-rules.ts'
import { lintValues } from './values-rules.ts'

export interface LintOptions extends TemplateLintOptions {
  /** The given values, which override those of the chart. */
  readonly values: ValueMap
  /** The chart's folder in messages. */
  readonly folder: string
}

/** The findings of `helm lint` for the chart in a folder, in Helm's order and wording. Chart.yaml must exist. */
export const lintChart = async (tree: SourceTree, options: LintOptions): Promise<readonly LintMessage[]> => {
  const report = new LintReport()
  const fileOf = (path: string) => tree.get(path)?.content
  lintChartFile(fileOf('Chart.yaml')!, report)
  const schema = options.skipSchemaValidation ? undefined : fileOf('values.schema.json')
  lintValues({ values: fileOf('values.yaml'), schema }, options.values, report)

  const chart = await loaded(tree)
  if (report.rule('WARNING', 'templates/', hasFolder(tree, 'templates') ? undefined : 'directory does not exist')) {
    if (chart instanceof Error) report.rule('ERROR', 'templates/', errorMessage(chart))
    else lintTemplates(chart, options.values, options, report)
  }
  if (chart instanceof Error) report.rule('ERROR', '', `unable to load chart\n\t${errorMessage(chart)}`)
  else lintDependencies(chart, options.folder, report)
  if (!hasFolder(tree, 'crds')) return report.messages
  if (chart instanceof Error) report.rule('ERROR', 'crds/', errorMessage(chart))
  else lintCrds(chart, report)
  return report.messages
}

const loaded = async (tree: SourceTree): Promise<Chart | Error> => {
  try {
    return await loadChart(filesInFolder(tree, ''))
  } catch (error) {
    return error as Error
  }
}

/** A folder without files counts as missing. */
const hasFolder = (tree: SourceTree, folder: string): boolean => tree.keys().some(path => path.startsWith(`${folder}/`))
