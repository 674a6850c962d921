import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChartContent } from './damaged-charts.ts'

/** The charts below a folder, each to be read when it is asked for. */
export const chartsBelow = (folder: string): readonly (() => ChartContent)[] =>
  globSync('**/Chart.yaml', { cwd: folder })
    .map(path => join(folder, dirname(path)))
    .sort()
    .map(chart => () => contentOf(chart))

const contentOf = (chart: string): ChartContent =>
  new Map(
    globSync('**/*', { cwd: chart })
      .filter(path => statSync(join(chart, path)).isFile())
      .sort()
      .map(path => [path, readFileSync(join(chart, path))]),
  )
