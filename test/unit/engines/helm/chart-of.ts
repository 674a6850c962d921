import { randomBytes } from 'node:crypto'
import { chartFunctions } from '../../../../lib/engines/helm/functions.ts'
import { readValues } from '../../../../lib/engines/helm/read-yaml.ts'
import { type RenderedChart, type RenderOptions, renderChart } from '../../../../lib/engines/helm/render-chart.ts'
import { newKey } from '../../../../lib/engines/template/certificates/private-key.ts'
import { inWalkOrder } from '../../../../lib/sources/artifact/walk-order.ts'
import { type Chart, loadChart } from '../../../../lib/sources/helm/chart.ts'

/** A chart of files, in the order in which a folder is walked; Chart.yaml is made unless it is given. */
export const chartOf = (files: Readonly<Record<string, string>>): Promise<Chart> => {
  const all: Record<string, string> = { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.3\n', ...files }
  return loadChart(inWalkOrder(Object.keys(all)).map(name => ({ name, data: Buffer.from(all[name]!) })))
}

export const functions = chartFunctions({ now: () => 0, bytes: randomBytes, newKey })

/** Renders files with values, given as YAML. */
export const render = async (
  files: Readonly<Record<string, string>>,
  values = '',
  options: Partial<RenderOptions> = {},
): Promise<RenderedChart> =>
  renderChart(await chartOf(files), readValues(Buffer.from(values)), {
    functions,
    release: { name: 'rel', namespace: 'apps', revision: 1, isUpgrade: false },
    ...options,
  })

/** What one template of a chart makes, without the line that makes it a document. */
export const rendered = async (
  template: string,
  values = '',
  files: Readonly<Record<string, string>> = {},
  options: Partial<RenderOptions> = {},
): Promise<string> => {
  const { manifests } = await render({ ...files, 'templates/a.yaml': `out: |-\n  ${template}` }, values, options)
  return manifests[0]!.content.replace(/^out: \|-\n {2}/, '')
}
