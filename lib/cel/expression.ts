import { CelError } from './cel-error.ts'
import { evaluate } from './evaluate.ts'
import type { Meter, Scope } from './evaluator.ts'
import { requireSound } from './require-sound.ts'
import { type Node, parse, parseBoolean } from './syntax.ts'
import { celValue, type Value } from './values.ts'

/** A CEL expression, as Flux evaluates them (fluxcd/pkg/runtime/cel): over the fields of an object, or objects by name. */
export interface Expression {
  /** Fails with a CelError, also when the result is no boolean; with CostLimitExceeded when the meter's limit is reached. */
  evaluateBoolean(data: Data, meter?: Meter): boolean
  /** The same for any result. */
  evaluate(data: Data, meter?: Meter): Value
}

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
  const run = (data: Data, meter?: Meter): Value => {
    try {
      return evaluate(root, scopeOf(data), meter)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      const failed = (why: string) => `failed to evaluate the CEL expression '${text}': ${why}`
      throw new CelError('evaluation', failed(error.message), error, failed(error.messageWithoutValues))
    }
  }
  return {
    evaluate: run,
    evaluateBoolean(data, meter) {
      const value = run(data, meter)
      if (typeof value === 'boolean') return value
      throw new CelError('evaluation', `failed to evaluate CEL expression as boolean: '${text}'`)
    },
  }
}

/** Fields are converted when they are asked for, each once: most expressions look at one of them. */
const scopeOf = (data: Data): Scope => {
  const known = new Map<string, Value>()
  return {
    find(name) {
      if (!Object.hasOwn(data, name) || data[name] === undefined) return undefined
      let value = known.get(name)
      if (value === undefined) {
        value = celValue(data[name])
        known.set(name, value)
      }
      return value
    },
  }
}
