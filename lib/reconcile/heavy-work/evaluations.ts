import type { Data, Expression } from '../../engines/cel/expression.ts'
import type { HealthEvaluator, HealthExpressions, HealthStatus } from '../../engines/cel/health-expressions.ts'
import { Budget, type Limits } from '../../foundations/budget/budget.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import { evaluateHealthOffThread, evaluateOffThread } from './off-thread.ts'

/**
 * Evaluates the expressions of one pass: on this thread while their total cost is low, and after that each on its own
 * thread. Fails with a CelError, also when one exceeds the budget.
 */
export interface Evaluations {
  evaluateBoolean(expression: Expression, data: Data): Promise<boolean>
  /** `expressions` are what `evaluator` was compiled from. */
  judgeHealth(evaluator: HealthEvaluator, expressions: HealthExpressions, object: Data): Promise<HealthStatus>
}

/** The evaluations of a pass over `unit`. Without another thread, each has the whole budget on this one. */
export const evaluationsOf = (
  { metadata }: KubernetesObject,
  { signal }: { readonly signal: AbortSignal },
  { offThread: thread, settings: { buildLimits: limits } }: EvaluationPorts,
): Evaluations => {
  const options = { group: metadata.namespace ?? '', signal }
  const small = thread && new Budget({ steps: Math.min(smallSteps, limits.steps ?? smallSteps) })
  const evaluate = async <T>(here: (budget: Budget) => T, elsewhere: (thread: OffThread) => Promise<T>): Promise<T> => {
    if (!thread || !small) return here(new Budget(limits))
    try {
      return here(small)
    } catch (error) {
      if (!small.exceeded) throw error
      return elsewhere(thread)
    }
  }
  return {
    evaluateBoolean: (expression, data) =>
      evaluate(
        budget => expression.evaluateBoolean(data, { budget }),
        thread => evaluateOffThread(thread, { text: expression.text, data, limits }, options),
      ),
    judgeHealth: (evaluator, expressions, object) =>
      evaluate(
        budget => evaluator(object, budget),
        thread => evaluateHealthOffThread(thread, { expressions, object, limits }, options),
      ),
  }
}

/** Steps of some 50 ns that a pass may take on this thread. */
const smallSteps = 100_000

interface EvaluationPorts {
  readonly offThread?: OffThread | undefined
  readonly settings: { readonly buildLimits: Limits }
}
