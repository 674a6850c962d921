import { duplicate, type FieldError, invalid, required } from '../../../../foundations/kinds/schema/field-error.ts'
import { TokenRefused } from '../../identity/token-refused.ts'
import type { User } from '../caller.ts'
import type { ClaimValidationRule, UserValidationRule } from './authentication-configuration.ts'
import { type Claims, hasClaim, textClaim } from './claims.ts'
import { type ClaimsExpression, compileCondition } from './compile-expression.ts'

export interface CompiledClaimRules {
  /** Fails with TokenRefused unless the claims satisfy all rules. */
  require(claims: Claims): void
  readonly expressions: readonly ClaimsExpression[]
}

interface Condition {
  readonly expression: ClaimsExpression
  readonly message: string
}

/** Compiles rules for claims, and adds their errors to `faults`. `path` is their field. */
export const compileClaimRules = (
  rules: readonly ClaimValidationRule[],
  path: string,
  faults: FieldError[],
): CompiledClaimRules => {
  const values: (readonly [claim: string, value: string])[] = []
  const conditions: Condition[] = []
  const seen = { claims: new Set<string>(), expressions: new Set<string>() }
  for (const [index, { claim = '', expression = '', requiredValue = '', message = '' }] of rules.entries()) {
    const at = `${path}[${index}]`
    if (claim && expression) faults.push(invalid(at, claim, "claim and expression can't both be set"))
    else if (claim) {
      if (message) faults.push(invalid(`${at}.message`, message, 'may not be specified when claim is set'))
      if (seen.claims.has(claim)) faults.push(duplicate(`${at}.claim`, claim))
      seen.claims.add(claim)
      values.push([claim, requiredValue])
    } else if (expression) {
      if (requiredValue)
        faults.push(invalid(`${at}.requiredValue`, requiredValue, 'may not be specified when expression is set'))
      conditions.push(...condition({ expression, message }, 'claims', at, seen.expressions, faults))
    } else faults.push(required(at, 'claim or expression is required'))
  }
  return {
    expressions: conditions.map(({ expression }) => expression),
    require: claims => {
      for (const [claim, value] of values) requireValue(claims, claim, value)
      requireAll(conditions, claims, 'claim validation expression')
    },
  }
}

const requireValue = (claims: Claims, claim: string, value: string): void => {
  if (!hasClaim(claims, claim)) throw new TokenRefused(`oidc: required claim ${claim} not present in ID token`)
  const given = textClaim(claims, claim, `claim ${claim}`)
  if (given !== value)
    throw new TokenRefused(`oidc: required claim ${claim} value does not match. Got = ${given}, want = ${value}`)
}

/** Compiles rules for the user that claims were mapped to. */
export const compileUserRules = (
  rules: readonly UserValidationRule[],
  path: string,
  faults: FieldError[],
): ((user: User) => void) => {
  const seen = new Set<string>()
  const conditions = rules.flatMap(({ expression = '', message = '' }, index) => {
    const at = `${path}[${index}]`
    if (expression) return condition({ expression, message }, 'user', at, seen, faults)
    faults.push(required(`${at}.expression`))
    return []
  })
  return ({ name: username, uid = '', groups, extra = {} }) =>
    requireAll(conditions, { username, uid, groups, extra }, 'user info validation rule')
}

const condition = (
  { expression: text, message }: { readonly expression: string; readonly message: string },
  variable: 'claims' | 'user',
  at: string,
  seen: Set<string>,
  faults: FieldError[],
): Condition[] => {
  if (seen.has(text)) {
    faults.push(duplicate(`${at}.expression`, text))
    return []
  }
  seen.add(text)
  const expression = compileCondition(text, variable, `${at}.expression`, faults)
  return expression ? [{ expression, message }] : []
}

const requireAll = (conditions: readonly Condition[], values: Claims, what: string): void => {
  for (const { expression, message } of conditions) {
    const holds = expression.evaluate(values, what)
    if (holds === true) continue
    const why =
      holds === false
        ? `validation expression '${expression.text}' failed: ${message}`
        : 'validation expression must return a boolean'
    throw new TokenRefused(`oidc: error evaluating ${what}: ${why}`)
  }
}
