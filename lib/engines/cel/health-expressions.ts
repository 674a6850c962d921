import type { Budget } from '../../foundations/budget/budget.ts'
import { CelError } from './cel-error.ts'
import { type Data, type Expression, expression } from './expression.ts'

/** CEL expressions that determine an object's health (spec.healthCheckExprs). */
export interface HealthExpressions {
  readonly current: string
  readonly failed?: string
  readonly inProgress?: string
}

export type HealthStatus = 'Current' | 'InProgress' | 'Failed'

/**
 * Determines the status of an object. Fails with a CelError of the stage `evaluation`, for instance if a field is missing or the
 * expressions exceed the budget.
 */
export type HealthEvaluator = (object: Data, budget?: Budget) => HealthStatus

/**
 * Compiles the expressions. As in Flux, an object whose generation was not observed yet is in progress; otherwise the first of
 * inProgress, failed and current that is true decides, and if none is, the object is in progress. Fails with a CelError of the stage
 * `parse`.
 */
export const healthEvaluator = ({ current, failed, inProgress }: HealthExpressions): HealthEvaluator => {
  if (!current) throw new CelError('parse', 'expression Current not specified')
  const currentExpression = named('Current', current)
  const failedExpression = failed ? named('Failed', failed) : undefined
  const inProgressExpression = inProgress ? named('InProgress', inProgress) : undefined
  const inOrder: readonly (readonly [HealthStatus, Expression | undefined])[] = [
    ['InProgress', inProgressExpression],
    ['Failed', failedExpression],
    ['Current', currentExpression],
  ]
  return (object, budget) => {
    if (isUnobserved(object)) return 'InProgress'
    const decided = inOrder.find(([, expression]) => expression?.evaluateBoolean(object, { budget }))
    return decided?.[0] ?? 'InProgress'
  }
}

const named = (name: string, text: string): Expression => {
  try {
    return expression(text)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new CelError('parse', `failed to parse the expression ${name}: ${error.message}`, error)
  }
}

const isUnobserved = (object: Data): boolean => {
  const observed = integerAt(object, 'status', 'observedGeneration')
  const generation = observed === undefined ? undefined : integerAt(object, 'metadata', 'generation')
  return generation !== undefined && observed !== generation
}

/** Undefined if absent or not an integer. */
const integerAt = (object: Data, parent: string, field: string): number | undefined => {
  const value = (object[parent] as Data | undefined)?.[field]
  return Number.isInteger(value) ? (value as number) : undefined
}
