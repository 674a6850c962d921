import type { ChangePolicy, PolicyExpression } from '../../foundations/kinds/change-policy.ts'
import { policyExpressions } from '../../foundations/kinds/change-policy.ts'
import { CelError } from '../cel/cel-error.ts'
import { type TypedExpression, typedExpression } from '../cel/expression.ts'

/** Fails with a CelError if the expression is malformed, has a result of another type, or refers to what is not there. */
export const compileExpression = ({ text, result, inputs, variables }: PolicyExpression): TypedExpression => {
  const compiled = typedExpression(text, inputs, 'dyn')
  if (result !== 'dyn' && compiled.type !== result && compiled.type !== 'dyn')
    throw new CelError('parse', `must be of type ${result}, not ${compiled.type}`)
  const unknown = compiled.fieldsOf('variables').find(name => !variables.includes(name))
  if (unknown !== undefined)
    throw new CelError(
      'parse',
      `variables.${unknown} is not defined${variables.length > 0 ? ` before: there are ${variables.join(', ')}` : ''}`,
    )
  return compiled
}

/** What is wrong with the expressions of a policy, by field. The policy may be incomplete. */
export const expressionProblems = (
  policy: ChangePolicy,
): readonly { readonly field: string; readonly text: string; readonly problem: string }[] =>
  (policy.spec ? policyExpressions(policy) : []).flatMap(expression => {
    if (!expression.text) return []
    try {
      compileExpression(expression)
      return []
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      const { field, text } = expression
      return [{ field, text, problem: error.message }]
    }
  })
