import { type Expression, SubstitutionError, type Template } from './expression.ts'
import { operate } from './operate.ts'
import { parseTemplate } from './parse-template.ts'

/**
 * Substitutes variables in a text, in the dialect of Flux's postBuild (a subset of bash's). A variable without a value is empty, or in
 * strict mode an error, unless it has a default. Fails with a SubstitutionError.
 */
export const envsubst = (
  text: string,
  variables: ReadonlyMap<string, string>,
  { strict }: { strict: boolean },
): string => {
  const evaluate = (template: Template): string => {
    let text = ''
    for (const part of template) text = bounded(text + (typeof part === 'string' ? part : evaluateExpression(part)))
    return text
  }
  const evaluateExpression = ({ variable, operator, operands }: Expression): string => {
    const values = operands.map(evaluate)
    const value = variables.get(variable)
    if (value === undefined && strict && !givesDefault.has(operator))
      throw new SubstitutionError(`variable not set (strict mode): ${JSON.stringify(variable)}`)
    return operate(operator, value ?? '', values)
  }
  return evaluate(parseTemplate(text))
}

/** Far beyond any object that a cluster accepts; a one-megabyte value used a thousand times exceeds it. */
const MAX_LENGTH = 16 * 1024 * 1024

const bounded = (text: string): string => {
  if (text.length > MAX_LENGTH) throw new SubstitutionError(`the result is longer than ${MAX_LENGTH} characters`)
  return text
}

const givesDefault: ReadonlySet<string> = new Set(['=', ':=', ':-', ':?', ':+'])
