import { Command } from 'commander'
import type { Chart } from '../../engines/helm/chart.ts'
import { crdsOf } from '../../engines/helm/chart-crds.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import { metadataJson } from '../../sources/helm/chart-metadata.ts'
import { withChartErrors } from './chart-errors.ts'
import { loadLocalChart } from './local-chart.ts'

type Part = 'all' | 'chart' | 'values' | 'readme' | 'crds'

const parts: readonly (readonly [Part, string])[] = [
  ['all', 'everything about a chart'],
  ['chart', "the chart's Chart.yaml"],
  ['values', "the chart's values.yaml"],
  ['readme', "the chart's README"],
  ['crds', "the chart's CRDs"],
]

/** `keelson helm show`: prints metadata and files of a chart. */
export const showCommand = (output: NodeJS.WritableStream): Command => {
  const show = new Command('show').summary('show information about a chart')
  for (const [part, what] of parts) {
    show.addCommand(
      new Command(part)
        .description(`Shows ${what}.`)
        .argument('<chart>', 'folder or archive of the chart')
        .action((path: string) =>
          withChartErrors(async () => void output.write(shownPart(await loadLocalChart(path), part))),
        ),
    )
  }
  return show
}

const shownPart = (chart: Chart, part: Part): string => {
  const isAll = part === 'all'
  const isShown = (one: Part) => isAll || part === one
  const divider = isAll ? '---\n' : ''
  const text = (data: Uint8Array) => Buffer.from(data).toString('utf8')
  let shown = ''
  if (isShown('chart')) shown += `${emitJson(metadataJson(chart.metadata))}\n`
  if (isShown('values') && chart.values) shown += `${divider}${text(chart.values.file)}\n`
  const readme = isShown('readme') ? chart.files.find(({ name }) => /^readme(?:\.md|\.txt)?$/i.test(name)) : undefined
  if (readme) shown += `${divider}${text(readme.data)}\n`
  for (const { data } of isShown('crds') ? crdsOf(chart) : [])
    shown += `${text(data).startsWith('---') ? '' : '---\n'}${text(data)}\n`
  return shown
}
