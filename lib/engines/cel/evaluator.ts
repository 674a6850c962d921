import { CelError, noSuchOverload } from './cel-error.ts'
import type { Spend } from './spend.ts'
import type { Node } from './syntax.ts'
import type { Value } from './values.ts'

/** The names that an expression can use at some place. */
export interface Scope {
  find(name: string): Value | undefined
}

/** What an error takes of the budget: V8 writes its stack down. */
const errorSteps = 100

/** Evaluates parts of one expression, within one budget. */
export interface Evaluator {
  run(node: Node, scope: Scope): Value
  readonly spend: Spend
  /** What Kubernetes counts for it; fails with CostLimitExceeded. Of no effect unless metered. */
  charge(units: number): void
  readonly isMetered: boolean
}

/** Counts the cost of evaluations, in cel-go's units. */
export interface Meter {
  readonly limit: number
  used: number
}

/** A boolean, or why there is none. */
export const attempt = (node: Node, scope: Scope, { run, spend }: Evaluator): boolean | CelError => {
  try {
    const value = run(node, scope)
    return typeof value === 'boolean' ? value : noSuchOverload()
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    spend(errorSteps)
    return error
  }
}
