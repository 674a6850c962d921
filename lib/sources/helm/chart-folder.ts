import type { ChartFile } from '../../engines/helm/chart.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import { inWalkOrder } from '../artifact/walk-order.ts'
import { stripByteOrderMark } from './byte-order-mark.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import { type HelmIgnores, readHelmignore } from './helmignore.ts'
import { InvalidChart } from './invalid-chart.ts'

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
  const isIgnored = whollyIgnored(readHelmignore(ignored && Buffer.from(ignored.content).toString('utf8')))
  return inWalkOrder(paths.filter(path => !isIgnored(path))).map(name => {
    const { content } = tree.get(prefix + name)!
    if (content.length > limits.maxChartFileBytes) {
      throw new InvalidChart(
        `cannot load file ${name} as file size (${content.length}) exceeds limit (${limits.maxChartFileBytes})`,
      )
    }
    return { name, data: stripByteOrderMark(content) }
  })
}

/** Whether a file is excluded: an ignored folder excludes everything below it. */
const whollyIgnored = (ignores: HelmIgnores): ((path: string) => boolean) => {
  const folders = new Map<string, boolean>()
  const isBelowIgnored = (path: string): boolean => {
    const slash = path.lastIndexOf('/')
    if (slash < 0) return false
    const folder = path.slice(0, slash)
    const known = folders.get(folder)
    if (known !== undefined) return known
    const is = isBelowIgnored(folder) || ignores(folder, true)
    folders.set(folder, is)
    return is
  }
  return path => isBelowIgnored(path) || ignores(path, false)
}
