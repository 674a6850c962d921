import { Budget } from '../../foundations/budget/budget.ts'
import type { ChangePolicy, PolicyExpression, Validation } from '../../foundations/kinds/change-policy.ts'
import { policyExpressions } from '../../foundations/kinds/change-policy.ts'
import { groupOf, type KubernetesObject, versionOf } from '../../foundations/kinds/object.ts'
import { CelError } from '../cel/cel-error.ts'
import type { Data, TypedExpression } from '../cel/expression.ts'
import type { Value } from '../cel/values.ts'
import { compileExpression } from './compile-expression.ts'
import { type JudgedChange, matchesChange } from './match-change.ts'

/** What a unit is about to do. */
export interface PolicySubject {
  /** Without its status. */
  readonly unit: KubernetesObject
  /** The Cluster that it is applied to, if the hub has one. */
  readonly cluster?: KubernetesObject | undefined
  /** Numbers of objects by change, and the changes without values. */
  readonly plan: object
  readonly changes: readonly JudgedChange[]
  /** A text without secrets. */
  masked(text: string): string
}

/** A change that is against a policy. */
export interface Finding {
  readonly policy: ChangePolicy
  /** `Deployment/web/app (app.yaml): message`, or the message alone if it is about the plan. */
  readonly message: string
}

/** Steps that one policy may take for one unit: about half a second, and a millisecond more for each object. */
const maxSteps = (objects: number): number => 10_000_000 + 20_000 * objects

/** What a policy has against a change. An expression that fails counts as the policy's `failurePolicy` says. */
export const judge = (policy: ChangePolicy, subject: PolicySubject): readonly Finding[] => {
  const judged = judging(policy, subject.changes.length)
  const { spec } = policy
  const { unit, cluster = null, plan } = subject
  const whole = { unit, cluster, plan }
  const found = (what: string, message: string): Finding => ({ policy, message: subject.masked(`${what}${message}`) })
  const ofPlan = judged.against('spec.planValidations', spec.planValidations, whole, false)
  const ofObjects = subject.changes
    .filter(change => matchesChange(spec, change))
    .flatMap(change => {
      const data = { ...whole, object: null, oldObject: null, ...inputsOf(change) }
      const applies = judged.applies(data)
      if (applies === false) return []
      const messages =
        applies === true ? judged.against('spec.validations', spec.validations, data, change.isHidden) : [applies]
      return messages.map(message => found(`${change.title}: `, message))
    })
  return [...ofPlan.map(message => found('', message)), ...ofObjects]
}

const inputsOf = ({ operation, apiVersion, kind, resource, namespace, name, object, oldObject }: JudgedChange) => {
  const of = { group: groupOf(apiVersion), version: versionOf(apiVersion) }
  const request = { operation, kind: { ...of, kind }, resource: { ...of, resource }, namespace, name }
  return { request, ...(object && { object }), ...(oldObject && { oldObject }) }
}

interface Judging {
  /** Whether all `matchConditions` are true; a message if one fails and that counts. */
  applies(data: Data): boolean | string
  /** Messages of the validations that are not true. */
  against(
    field: string,
    validations: readonly Validation[] | undefined,
    data: Data,
    isHidden: boolean,
  ): readonly string[]
}

const judging = (policy: ChangePolicy, objects: number): Judging => {
  const { spec } = policy
  const isClosed = spec.failurePolicy !== 'Ignore'
  const budget = new Budget({ steps: maxSteps(objects) })
  const compiled = new Map<string, TypedExpression>()
  const places = new Map(policyExpressions(policy).map(place => [place.field, place]))

  const evaluate = (field: string, data: Data): Value => {
    const place = places.get(field)!
    const expression = compiled.get(field) ?? compileExpression(place)
    compiled.set(field, expression)
    return expression.evaluate(withVariables(expression, place, data), { budget })
  }
  /** Only those that the expression refers to: others may fail. */
  const withVariables = (expression: TypedExpression, { inputs }: PolicyExpression, data: Data): Data => {
    if (!inputs.includes('variables')) return data
    const used = new Set(expression.fieldsOf('variables'))
    const values = (spec.variables ?? []).flatMap(({ name }, at) =>
      used.has(name) ? [[name, evaluate(`spec.variables[${at}].expression`, data)] as const] : [],
    )
    return { ...data, variables: Object.fromEntries(values) }
  }
  const isTrue = (field: string, data: Data): boolean => {
    const value = evaluate(field, data)
    if (typeof value === 'boolean') return value
    throw new CelError('evaluation', `${field} is neither true nor false`)
  }
  const messageOf = (field: string, validation: Validation, data: Data, isHidden: boolean): string => {
    const { message, messageExpression, expression } = validation
    const otherwise = message?.trim() || `failed expression: ${expression}`
    if (!messageExpression || isHidden) return otherwise
    try {
      const text = evaluate(`${field}.messageExpression`, data)
      return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text.trim() : otherwise
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      return otherwise
    }
  }
  return {
    applies(data) {
      const failures: string[] = []
      for (const [at, { name }] of (spec.matchConditions ?? []).entries())
        try {
          // One that is false counts, whatever the others are.
          if (!isTrue(`spec.matchConditions[${at}].expression`, data)) return false
        } catch (error) {
          failures.push(`match condition ${name} fails: ${described(error)}`)
        }
      if (failures.length === 0) return true
      return isClosed && failures.join('; ')
    },
    against: (list, validations = [], data, isHidden) =>
      validations.flatMap((validation, at) => {
        const field = `${list}[${at}]`
        try {
          return isTrue(`${field}.expression`, data) ? [] : [messageOf(field, validation, data, isHidden)]
        } catch (error) {
          return isClosed ? [`${field}.expression fails: ${described(error)}`] : []
        }
      }),
  }
}

/** Without values, which may be secret. */
const described = (error: unknown): string => {
  if (!(error instanceof CelError)) throw error
  return error.messageWithoutValues
}
