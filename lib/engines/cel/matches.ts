import type { RE2JS } from 're2js'
import { compileRegexp } from '../../foundations/go/compile-regexp.ts'
import { evaluationError } from './cel-error.ts'

/** Compiled regular expressions; an expression has few. */
const compiled = new Map<string, RE2JS>()
const maxCompiled = 200

/** Whether part of the text matches an RE2 expression, in linear time. Fails if the expression is malformed. */
export const matches = (text: string, expression: string): boolean => compile(expression).matcher(text).find()

/** A compiled RE2 expression; those in use are kept. Throws CelError with RE2's message if it is malformed. */
export const compile = (expression: string): RE2JS => {
  const known = compiled.get(expression)
  if (known) return known
  if (compiled.size >= maxCompiled) compiled.clear()
  try {
    const regex = compileRegexp(expression)
    compiled.set(expression, regex)
    return regex
  } catch (error) {
    throw evaluationError((error as Error).message, 'error parsing regexp')
  }
}
