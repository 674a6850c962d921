import { HelmError } from '../../engines/helm/helm-error.ts'
import { BudgetExceeded } from '../../foundations/budget/budget.ts'
import { InvalidChart } from '../../sources/helm/invalid-chart.ts'
import { CommandFailed } from '../command-failed.ts'

/** Runs a chart command. Shows errors of the chart or its values with Helm's messages, without a stack trace. */
export const withChartErrors = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    const isChartError = error instanceof HelmError || error instanceof InvalidChart || error instanceof BudgetExceeded
    if (!isChartError) throw error
    throw new CommandFailed(error.message.trimEnd(), { cause: error })
  }
}
