import { Budget } from '../../foundations/budget/budget.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inflateChart } from '../../sources/helm/inflate-chart.ts'
import { certifier } from '../certifier.ts'
import { type HelmChartsRequest, unpackInflation } from './helm-charts-function.ts'
import type { FunctionAnswer } from './invoke-function.ts'
import { maxPayload, packText } from './packed-text.ts'

/** What the function `helmcharts` answers: the manifests, packed. */
export const answerHelmCharts = async ({ inflation, limits }: HelmChartsRequest): Promise<FunctionAnswer> => {
  try {
    const chart = unpackInflation(inflation)
    const value = packText(await inflateChart(chart, { certifier, budget: new Budget(limits) }))
    if (value.length > maxPayload - reserved)
      return { error: `chart ${chart.chartName} makes more than a function on AWS can answer with (${maxPayload} bytes)` }
    return { value }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

/** Of the largest answer, for what is in it beside the manifests. */
const reserved = 4096
