import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import type { ChartBuild } from '../../sources/helm/build-chart.ts'

/** Maximum number of charts whose builds dry runs cache; the oldest go first. */
const maxCharts = 5_000

/** Builds from files that dry runs have found unchanged. */
export type ObservedBuilds = (
  chart: HelmChart,
  source: Artifact,
  build: () => Promise<ChartBuild>,
) => Promise<ChartBuild>

/** A build depends on the version of the chart and on the content of its source alone: with equal ones, the source is not read again. */
export const observedBuilds = (): ObservedBuilds => {
  const known = new RecentlyUsed<ChartBuild>(maxCharts)
  return async ({ metadata }, { path, digest }, build) => {
    const key = [metadata.uid, metadata.resourceVersion, path, digest].join(' ')
    const found = known.get(key)
    if (found) return found
    const made = await build()
    known.set(key, made)
    return made
  }
}
