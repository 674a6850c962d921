import type { ChartFile } from '../../engines/helm/chart.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import { inWalkOrder } from '../artifact/walk-order.ts'
import { BadChart } from './bad-chart.ts'
import { stripByteOrderMark } from './byte-order-mark.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import { type HelmIgnores, readHelmignore } from './helmignore.ts'

/** The files of a chart's folder in a source, in Helm's walk order, without those that .helmignore excludes. */
export const filesInFolder = (
  tree: SourceTree,
  folder: string,
  limits: HelmLimits = helmLimits,
): readonly ChartFile[] => {
  const prefix = folder === '' ? '' : `${folder}/`
  const paths = tree
    .keys()
    .filter(path => path.startsWith(prefix))
    .map(path => path.slice(prefix.length))
  const ignored = tree.get(`${prefix}.helmignore`)
  const ignores = readHelmignore(ignored && Buffer.from(ignored.content).toString('utf8'))
  return inWalkOrder(paths.filter(path => !isIgnored(path, ignores))).map(name => {
    const { content } = tree.get(prefix + name)!
    if (content.length > limits.maxChartFileBytes) {
      throw new BadChart(
        `cannot load file ${name} as file size (${content.length}) exceeds limit (${limits.maxChartFileBytes})`,
      )
    }
    return { name, data: stripByteOrderMark(content) }
  })
}

/** An ignored folder excludes everything below it. */
const isIgnored = (path: string, ignores: HelmIgnores): boolean => {
  for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
    if (ignores(path.slice(0, slash), true)) return true
  }
  return ignores(path, false)
}
