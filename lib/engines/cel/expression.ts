import { Budget, BudgetExceeded, type Limits } from '../../foundations/budget/budget.ts'
import { CelError, evaluationError } from './cel-error.ts'
import { evaluate } from './evaluate.ts'
import type { Meter, Scope } from './evaluator.ts'
import { fieldsOf } from './fields-of.ts'
import { requireSound } from './require-sound.ts'
import { type Node, parse, parseBoolean, parseTyped, type VariableType } from './syntax.ts'
import { celValue, type Value } from './values.ts'

/** A CEL expression as Flux evaluates it (fluxcd/pkg/runtime/cel), over the fields of an object or over named objects. */
export interface Expression {
  readonly text: string
  /**
   * Fails with a CelError, also if the result is not a boolean or the evaluation exceeds its budget, and with CostLimitExceeded if it
   * exceeds the meter's limit.
   */
  evaluateBoolean(data: Data, options?: EvaluationOptions): boolean
  /** The same for a result of any type. */
  evaluate(data: Data, options?: EvaluationOptions): Value
}

export interface EvaluationOptions {
  /** May be shared by several evaluations. If absent, each gets its own: about 50 ms of work, or ten times as much if a meter limits it. */
  readonly budget?: Budget | undefined
  readonly meter?: Meter | undefined
}

const ownLimits = { steps: 1_000_000 }
/** High enough that Kubernetes' own limit is reached first. */
const meteredLimits = { steps: 10_000_000 }

export type Data = Readonly<Record<string, unknown>>

/**
 * Parses an expression whose variables are the top-level fields of the data. Fails with a CelError of the stage `parse` if the text is
 * malformed.
 */
export const expression = (text: string): Expression => expressionOf(text, parse(text))

/** The same over objects of these names, type-checked to be a boolean as far as possible without data. */
export const booleanExpression = (text: string, variables: readonly string[]): Expression =>
  expressionOf(text, parseBoolean(text, variables))

export interface TypedExpression extends Expression {
  /** The type of its result as far as it is known without data: `bool`, `dyn`... */
  readonly type: string
  /** The fields that it selects of a variable by their names: `email` in `claims.email`, `claims.?email` and `has(claims.email)`. */
  fieldsOf(variable: string): readonly string[]
}

/** The same for a result of any type. */
export const typedExpression = (text: string, variables: readonly string[], of?: VariableType): TypedExpression => {
  const { root, type } = parseTyped(text, variables, of)
  return { ...expressionOf(text, root), type, fieldsOf: variable => fieldsOf(root, variable) }
}

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

/** Fields are converted on first use, each once: most expressions read only one. */
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
