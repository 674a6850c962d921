import { CelError } from '../../../../engines/cel/cel-error.ts'
import { type TypedExpression, typedExpression } from '../../../../engines/cel/expression.ts'
import type { Value } from '../../../../engines/cel/values.ts'
import { isObject } from '../../../../foundations/kinds/json-object.ts'
import { type FieldError, invalid } from '../../../../foundations/kinds/schema/field-error.ts'
import { TokenRefused } from '../../identity/token-refused.ts'
import type { Claims } from './claims.ts'

/** A CEL expression over the claims of a token, or over the user that they are mapped to. */
export interface ClaimsExpression {
  readonly text: string
  /** The type, as far as it is known without claims: `bool`, `dyn`... */
  readonly type: string
  /** Whether it reads a claim of this name. */
  reads(claim: string): boolean
  /** Fails with TokenRefused; `what` names its use. */
  evaluate(values: Claims, what: string): Value
}

type Variable = 'claims' | 'user'

const userFields = ['username', 'uid', 'groups', 'extra']

/** Compiles an expression, or adds its errors to `faults`. */
export const compileExpression = (
  text: string,
  variable: Variable,
  field: string,
  faults: FieldError[],
): ClaimsExpression | undefined => {
  try {
    const compiled = typedExpression(text, [variable])
    const unknown = variable === 'user' && compiled.fieldsOf('user').find(name => !userFields.includes(name))
    if (!unknown) return ready(compiled, variable)
    faults.push(invalid(field, text, `compilation failed: undefined field '${unknown}'`))
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    const { message } = error.cause instanceof Error ? error.cause : error
    faults.push(invalid(field, text, `compilation failed: ${message}`))
  }
  return undefined
}

/** The same for one that must be true or false. */
export const compileCondition = (
  text: string,
  variable: Variable,
  field: string,
  faults: FieldError[],
): ClaimsExpression | undefined => {
  const compiled = compileExpression(text, variable, field, faults)
  if (!compiled || compiled.type === 'bool') return compiled
  faults.push(invalid(field, text, 'must evaluate to bool'))
  return undefined
}

const ready = (compiled: TypedExpression, variable: Variable): ClaimsExpression => {
  const fields = new Set(compiled.fieldsOf(variable))
  return {
    text: compiled.text,
    type: compiled.type,
    reads: claim => fields.has(claim),
    evaluate: (values, what) => {
      try {
        return compiled.evaluate({ [variable]: celClaims(values) })
      } catch (error) {
        if (!(error instanceof CelError)) throw error
        // The values are the user's: only the expression may be shown.
        throw new TokenRefused(`oidc: error evaluating ${what}: ${error.messageWithoutValues}`, { cause: error })
      }
    },
  }
}

/** Kubernetes reads the numbers of a token as doubles: the time 1e9 plus the integer 1 is no number there. */
const celClaims = (json: unknown): Value => {
  if (Array.isArray(json)) return json.map(celClaims)
  if (!isObject(json)) return (json ?? null) as Value
  return new Map(Object.entries(json).map(([name, value]) => [name, celClaims(value)]))
}
