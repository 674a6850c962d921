import { Budget, BudgetExceeded, type Limits } from '../../foundations/budget/budget.ts'
import { CelError, evaluationError } from './cel-error.ts'
import { evaluate } from './evaluate.ts'
import type { Meter, Scope } from './evaluator.ts'
import { requireSound } from './require-sound.ts'
import { type Node, parse, parseBoolean } from './syntax.ts'
import { celValue, type Value } from './values.ts'

/** A CEL expression, as Flux evaluates them (fluxcd/pkg/runtime/cel): over the fields of an object, or objects by name. */
export interface Expression {
  readonly text: string
  /**
   * Fails with a CelError, also when the result is not a boolean or the evaluation takes too much work, and with CostLimitExceeded when
   * the meter's limit is reached.
   */
  evaluateBoolean(data: Data, options?: EvaluationOptions): boolean
  /** The same for any result. */
  evaluate(data: Data, options?: EvaluationOptions): Value
}

export interface EvaluationOptions {
  /** Several evaluations may share one. Without, each has its own: some 50 ms of work, and ten times as much where a meter ends it before. */
  readonly budget?: Budget | undefined
  readonly meter?: Meter | undefined
}

const ownLimits = { steps: 1_000_000 }
/** Kubernetes' own limit is to be reached first. */
const meteredLimits = { steps: 10_000_000 }

export type Data = Readonly<Record<string, unknown>>

/**
 * An expression whose variables are the top-level fields of what it is evaluated for. Fails with a CelError of the stage
 * `parse` when the text is malformed.
 */
export const expression = (text: string): Expression => expressionOf(text, parse(text))

/** The same over objects of these names, checked to be a boolean as far as that can be told without data. */
export const booleanExpression = (text: string, variables: readonly string[]): Expression =>
  expressionOf(text, parseBoolean(text, variables))

const expressionOf = (text: string, root: Node): Expression => {
  requireSound(root)
  const run = (data: Data, { budget, meter }: EvaluationOptions = {}): Value => {
    try {
      return withinBudget(budget, meter ? meteredLimits : ownLimits, budget =>
        evaluate(root, scopeOf(data, budget), budget, meter),
      )
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      const failed = (why: string) => `failed to evaluate the CEL expression '${text}': ${why}`
      throw new CelError('evaluation', failed(error.message), error, failed(error.messageWithoutValues))
    }
  }
  return {
    text,
    evaluate: run,
    evaluateBoolean(data, options) {
      const value = run(data, options)
      if (typeof value === 'boolean') return value
      throw new CelError('evaluation', `failed to evaluate CEL expression as boolean: '${text}'`)
    },
  }
}

const withinBudget = <T>(shared: Budget | undefined, own: Limits, work: (budget: Budget) => T): T => {
  try {
    return work(shared ?? new Budget(own))
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error
    throw evaluationError(`the expression takes too much work: ${shared ? error.message : 'cost limit exceeded'}`)
  }
}

/** Fields are converted when they are asked for, each once: most expressions look at one of them. */
const scopeOf = (data: Data, budget: Budget): Scope => {
  const known = new Map<string, Value>()
  return {
    find(name) {
      if (!Object.hasOwn(data, name) || data[name] === undefined) return undefined
      let value = known.get(name)
      if (value === undefined) {
        value = celValue(data[name], steps => budget.spend('steps', steps))
        known.set(name, value)
      }
      return value
    },
  }
}
