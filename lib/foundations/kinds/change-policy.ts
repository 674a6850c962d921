/** ChangePolicy: what the operator says about changes before units make them. It reads as a ValidatingAdmissionPolicy. Keelson's own kind. */
import { ageColumn } from './flux.ts'
import { labelSelector } from './flux-operator.ts'
import type { Kind } from './kind.ts'
import type { Condition, KubernetesObject } from './object.ts'
import { fleetGroup } from './references.ts'
import { type FieldError, invalid, required } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, oneOf, optional, text } from './schema/schema.ts'
import { waitingCondition } from './window.ts'

const atomic = { 'x-kubernetes-list-type': 'atomic' } as const

/** As in admission.k8s.io; nobody connects. */
const operations = ['CREATE', 'UPDATE', 'DELETE', '*'] as const

const rule = object('Operations on resources. All fields must match.', {
  apiGroups: optional(list('API groups, or `*`.', text('An API group.'), atomic)),
  apiVersions: optional(list('Versions, or `*`.', text('A version.'), atomic)),
  operations: optional(list('Operations.', oneOf('An operation.', operations), atomic)),
  resources: optional(list('Resources such as `deployments`, or `*`.', text('A resource.'), atomic)),
  resourceNames: optional(list('Names of objects.', text('A name.'), atomic)),
})

const named = (what: string) => ({
  name: text(`Name of the ${what}.`, { minLength: 1, maxLength: 63 }),
  expression: text('CEL expression.', { minLength: 1, maxLength: 16_384 }),
})

const validation = object('What must be true.', {
  expression: text('CEL expression. The change is against the policy if it is false.', {
    minLength: 1,
    maxLength: 16_384,
  }),
  message: optional(text('What to say if it is false.', { maxLength: 1024 })),
  messageExpression: optional(text('CEL expression of the message. Comes before `message`.', { maxLength: 16_384 })),
  reason: optional(
    oneOf('Why, as Kubernetes knows it.', ['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge'], {
      default: 'Invalid',
    }),
  ),
})

const spec = object('Which changes are judged, and how.', {
  namespaceSelector: optional(labelSelector('Labels of the Namespaces whose units are judged. All, if absent.')),
  unitSelector: optional(
    labelSelector('Labels of the Kustomizations and HelmReleases that are judged. All, if absent.'),
  ),
  clusterSelector: optional(
    labelSelector('Labels of the Clusters whose units are judged. All, if absent, also units without a Cluster.'),
  ),
  action: optional(
    oneOf(
      'What becomes of a change against the policy. Deny: it fails. RequireApproval: users must approve its Plan.',
      ['Deny', 'RequireApproval'],
      {
        default: 'Deny',
      },
    ),
  ),
  failurePolicy: optional(
    oneOf(
      'What an expression that fails means. Fail: the change is against the policy. Ignore: it is not.',
      ['Fail', 'Ignore'],
      {
        default: 'Fail',
      },
    ),
  ),
  matchConstraints: optional(
    object('Which objects are judged. All, if absent.', {
      resourceRules: optional(list('Rules of which one must match.', rule, atomic)),
      excludeResourceRules: optional(list('Rules of which none may match.', rule, atomic)),
      objectSelector: optional(labelSelector('Labels of the objects, before or after the change.')),
    }),
  ),
  matchConditions: optional(
    list(
      'Conditions on each object that must all be true for it to be judged.',
      object('A condition.', named('condition')),
      atomic,
    ),
  ),
  variables: optional(
    list(
      'Expressions that others refer to as `variables.NAME`. Each may refer to those before it.',
      object('A variable.', named('variable')),
      atomic,
    ),
  ),
  validations: optional(list('What must be true of each object.', validation, atomic)),
  planValidations: optional(list('What must be true of the change as a whole.', validation, atomic)),
})

const schema = object('What must be true of changes before units make them.', { spec })

export type ChangePolicy = KubernetesObject & TypeOf<typeof schema>
export type PolicyRule = TypeOf<typeof rule>
export type Validation = TypeOf<typeof validation>

/** A CEL expression of a policy. */
export interface PolicyExpression {
  readonly field: string
  readonly text: string
  readonly result: 'bool' | 'string' | 'dyn'
  /** What it may refer to. */
  readonly inputs: readonly string[]
  /** Names that it may refer to as fields of `variables`. */
  readonly variables: readonly string[]
}

const ofPlan: readonly string[] = ['plan', 'unit', 'cluster']
const ofObject: readonly string[] = ['object', 'oldObject', 'request', 'variables', ...ofPlan]

/** All expressions, with what they may refer to. */
export const policyExpressions = ({ spec }: ChangePolicy): readonly PolicyExpression[] => {
  const names = (spec.variables ?? []).map(({ name }) => name)
  const validationsAt = (field: string, validations: readonly Validation[] = [], inputs: readonly string[]) =>
    validations.flatMap(({ expression, messageExpression }, at): readonly PolicyExpression[] => {
      const shared = { inputs, variables: inputs === ofObject ? names : [] }
      const own = { field: `${field}[${at}].expression`, text: expression, result: 'bool', ...shared } as const
      if (!messageExpression) return [own]
      return [own, { field: `${field}[${at}].messageExpression`, text: messageExpression, result: 'string', ...shared }]
    })
  return [
    ...(spec.variables ?? []).map(
      ({ expression }, at): PolicyExpression => ({
        ...{ field: `spec.variables[${at}].expression`, text: expression, result: 'dyn' },
        ...{ inputs: ofObject, variables: names.slice(0, at) },
      }),
    ),
    ...(spec.matchConditions ?? []).map(
      ({ expression }, at): PolicyExpression => ({
        ...{ field: `spec.matchConditions[${at}].expression`, text: expression, result: 'bool' },
        ...{ inputs: ofObject, variables: names },
      }),
    ),
    ...validationsAt('spec.validations', spec.validations, ofObject),
    ...validationsAt('spec.planValidations', spec.planValidations, ofPlan),
  ]
}

const check = ({ spec }: ChangePolicy): FieldError[] => {
  const names = (spec.variables ?? []).map(({ name }) => name)
  return [
    ...(spec.validations?.length || spec.planValidations?.length
      ? []
      : [required('spec.validations', 'a policy needs validations or planValidations')]),
    ...names.flatMap((name, at) => [
      ...(/^[A-Za-z_]\w*$/.test(name) ? [] : [invalid(`spec.variables[${at}].name`, name, 'must be a CEL identifier')]),
      ...(names.indexOf(name) === at
        ? []
        : [invalid(`spec.variables[${at}].name`, name, 'is the name of two variables')]),
    ]),
    ...Object.entries({
      namespaceSelector: spec.namespaceSelector,
      unitSelector: spec.unitSelector,
      clusterSelector: spec.clusterSelector,
      'matchConstraints.objectSelector': spec.matchConstraints?.objectSelector,
    }).flatMap(([field, selector]) =>
      (selector?.matchExpressions ?? []).flatMap(({ operator }, at) =>
        selectorOperators.includes(operator)
          ? []
          : [
              invalid(
                `spec.${field}.matchExpressions[${at}].operator`,
                operator,
                'must be In, NotIn, Exists or DoesNotExist',
              ),
            ],
      ),
    ),
  ]
}

const selectorOperators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']

export const changePolicy: Kind<ChangePolicy> = {
  group: fleetGroup,
  kind: 'ChangePolicy',
  plural: 'changepolicies',
  singular: 'changepolicy',
  shortNames: [],
  categories: ['keelson'],
  namespaced: false,
  hasGeneration: true,
  check,
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      columns: [
        ageColumn,
        { name: 'Action', type: 'string', jsonPath: '.spec.action' },
        { name: 'Failure policy', type: 'string', jsonPath: '.spec.failurePolicy', priority: 1 },
      ],
    },
  ],
}

/** The reason of a change that a policy denies. */
export const policyDenied = 'PolicyDenied'

/** `ChangePolicy few-deletions`: how messages name a policy. */
export const policyTitle = (name: string): string => `${changePolicy.kind} ${name}`

/** Whether a policy has denied the last change of a unit, or required an approval for it. */
export const isHeldByPolicy = ({ status }: KubernetesObject): boolean => {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] }
  return (
    Array.isArray(conditions) &&
    conditions.some(
      ({ type, reason, message }: Condition) =>
        (type === 'Ready' && reason === policyDenied) ||
        (type === waitingCondition && reason === 'ApprovalRequired' && message.includes(policyTitle(''))),
    )
  )
}
