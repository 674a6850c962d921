/** ClusterRole: permissions in all namespaces, or in those where a RoleBinding refers to it. */

import type { Kind } from './kind.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'
import type { KubernetesObject } from './object.ts'
import { checkRules, policyRules, rbacGroup } from './policy-rule.ts'
import { createdAt } from './role.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid, required } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, map, object, optional, text } from './schema/schema.ts'

const atomic = { 'x-kubernetes-list-type': 'atomic' } as const

const labelSelector = object(
  'Selects objects by their labels.',
  {
    matchLabels: optional(map('Labels with these values.', text('Value of a label.'))),
    matchExpressions: optional(
      list(
        'Requirements that are ANDed.',
        object('One requirement.', {
          key: text('Key of the label.'),
          operator: text('`In`, `NotIn`, `Exists` or `DoesNotExist`.'),
          values: optional(list('Values to compare with.', text('A value.'), atomic)),
        }),
        atomic,
      ),
    ),
  },
  { 'x-kubernetes-map-type': 'atomic' },
)

export type LabelSelector = TypeOf<typeof labelSelector>

const schema = object('Permissions in the cluster.', {
  aggregationRule: optional(
    object('Aggregates the rules of other ClusterRoles, which replace `rules`.', {
      clusterRoleSelectors: optional(list('Selectors of ClusterRoles; they are ORed.', labelSelector, atomic)),
    }),
  ),
  rules: optional(policyRules),
})

export type ClusterRole = KubernetesObject & TypeOf<typeof schema>

const checkClusterRole = ({ aggregationRule, rules }: ClusterRole): FieldError[] => {
  const errors = checkRules(rules ?? [], false)
  if (!aggregationRule) return errors
  const field = 'aggregationRule.clusterRoleSelectors'
  const { clusterRoleSelectors: selectors = [] } = aggregationRule
  if (selectors.length === 0)
    return [...errors, required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return [
    ...errors,
    ...selectors.flatMap((selector, index) => {
      const problems = checkSelector(selector, `${field}[${index}]`)
      return problems.length > 0 ? [...problems, invalid(`${field}[${index}]`, null, 'invalid label selector.')] : []
    }),
  ]
}

const checkSelector = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector, field: string): FieldError[] => [
  ...Object.entries(matchLabels).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map(problem => invalid(`${field}.matchLabels`, key, problem)),
    ...checkLabelValue(value).map(problem => invalid(`${field}.matchLabels[${key}]`, value, problem)),
  ]),
  ...matchExpressions.flatMap(({ key, operator, values = [] }, index) => {
    const at = `${field}.matchExpressions[${index}]`
    const isSet = operator === 'In' || operator === 'NotIn'
    const known = isSet || operator === 'Exists' || operator === 'DoesNotExist'
    return [
      ...(isSet && values.length === 0
        ? [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
        : []),
      ...(known ? [] : [invalid(`${at}.operator`, operator, 'not a valid selector operator')]),
      ...checkQualifiedName(key).map(problem => invalid(`${at}.key`, key, problem)),
    ]
  }),
]

export const clusterRole: Kind<ClusterRole> = {
  group: rbacGroup,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  shortNames: [],
  categories: [],
  namespaced: false,
  names: 'pathSegment',
  hasGeneration: false,
  native: true,
  always: { rules: null },
  keptEmpty: ['aggregationRule'],
  check: checkClusterRole,
  versions: [{ name: 'v1', storage: true, schema, columns: [createdAt] }],
}
