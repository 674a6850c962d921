import { type HelmLimits, helmLimits } from '../sources/helm/helm-limits.ts'
import type { Settings } from './settings/settings.ts'

type ChartSettings = Pick<Settings, 'helmIndexMaxSize' | 'helmChartMaxSize' | 'helmChartFileMaxSize'>

/** The limits of charts and their indexes. */
export const chartLimitsOf = ({
  helmIndexMaxSize,
  helmChartMaxSize,
  helmChartFileMaxSize,
}: ChartSettings): HelmLimits => ({
  ...helmLimits,
  ...{ maxIndexBytes: helmIndexMaxSize, maxChartBytes: helmChartMaxSize, maxChartFileBytes: helmChartFileMaxSize },
})
