import type { Helm } from '../../engines/kustomize/generators/helm.ts'
import { Budget, type Limits } from '../../foundations/budget/budget.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { type HelmChartsRequest, packFiles, unpackInflation } from './helm-charts-function.ts'
import type { FunctionResponse } from './invoke-function.ts'
import { maxPayload, packText } from './packed-text.ts'

/** The response of the function `helmcharts`: compressed files or manifests. `limits` apply to each rendered chart. */
export const handleHelmCharts = async (
  helm: Helm,
  limits: Limits,
  request: HelmChartsRequest,
): Promise<FunctionResponse> => {
  try {
    const value = await outcomeOf(helm, limits, request)
    if (value.length <= maxPayload) return { value }
    return { error: `the response has ${value.length} bytes compressed, and a function on AWS may send ${maxPayload}` }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

const outcomeOf = async (helm: Helm, limits: Limits, request: HelmChartsRequest): Promise<string> =>
  request.operation === 'pull'
    ? packFiles(await helm.pull(request.chart))
    : packText(await helm.template(unpackInflation(request.inflation), new Budget(limits)))
