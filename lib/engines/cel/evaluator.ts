import { CelError, noSuchOverload } from './cel-error.ts'
import type { Spend } from './spend.ts'
import type { Node } from './syntax.ts'
import type { Value } from './values.ts'

/** The names that are in scope at some point of an expression. */
export interface Scope {
  find(name: string): Value | undefined
}

/** Budget steps of an error: V8 captures its stack. */
const errorSteps = 100

/** Evaluates parts of one expression within one budget. */
export interface Evaluator {
  run(node: Node, scope: Scope): Value
  readonly spend: Spend
  /** Counts Kubernetes' cost; fails with CostLimitExceeded. Does nothing unless metered. */
  charge(units: number): void
  readonly isMetered: boolean
}

/** Counts the cost of evaluations, in cel-go's units. */
export interface Meter {
  readonly limit: number
  used: number
}

/** The boolean result, or the error that prevented it. */
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
