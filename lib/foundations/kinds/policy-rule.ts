/** The rules of RBAC roles. */
import type { FieldError } from './schema/field-error.ts'
import { invalid, required } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, optional, text } from './schema/schema.ts'

export const rbacGroup = 'rbac.authorization.k8s.io'

const atomic = { 'x-kubernetes-list-type': 'atomic' } as const

const policyRule = object('Allowed verbs on resources or other paths of the API.', {
  verbs: list('Verbs; `*` for all.', text('A verb, such as `get`.'), atomic),
  apiGroups: optional(
    list('Groups of the resources; `*` for all.', text('A group; empty for the core group.'), atomic),
  ),
  resources: optional(
    list(
      'Resources; `*` for all.',
      text('Plural name of a resource, with `/` and the name for a subresource.'),
      atomic,
    ),
  ),
  resourceNames: optional(
    list('Names of the objects to which the rule is limited.', text('Name of an object.'), atomic),
  ),
  nonResourceURLs: optional(list('Non-resource paths; a `*` at the end matches the rest.', text('A path.'), atomic)),
})

export type PolicyRule = TypeOf<typeof policyRule>

/** Roles without rules are returned with null. */
export const policyRules = list('Allowed operations.', policyRule, { ...atomic, nullable: true })

/**
 * The errors of a role's rules, as Kubernetes validates them: verbs are required, and a rule names either groups and
 * resources or non-resource URLs. Those are refused in a Role (`isNamespaced`).
 */
export const checkRules = (rules: readonly PolicyRule[], isNamespaced: boolean): FieldError[] =>
  rules.flatMap((rule, index) => checkRule(rule, `rules[${index}]`, isNamespaced))

const checkRule = (rule: PolicyRule, field: string, isNamespaced: boolean): FieldError[] => {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const errors = verbs.length > 0 ? [] : [required(`${field}.verbs`, 'verbs must contain at least one value')]
  if (nonResourceURLs.length === 0)
    return [
      ...errors,
      ...(apiGroups.length > 0
        ? []
        : [required(`${field}.apiGroups`, 'resource rules must supply at least one api group')]),
      ...(resources.length > 0
        ? []
        : [required(`${field}.resources`, 'resource rules must supply at least one resource')]),
    ]
  const misplaced = (why: string) => invalid(`${field}.nonResourceURLs`, nonResourceURLs, why)
  if (isNamespaced) errors.push(misplaced('namespaced rules cannot apply to non-resource URLs'))
  if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
    errors.push(misplaced('rules cannot apply to both regular resources and non-resource URLs'))
  return errors
}
