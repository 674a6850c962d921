/** Behaviour of some core kinds on writes beyond the common rules, like Kubernetes' strategies. */
import { CelError } from '../../engines/cel/cel-error.ts'
import { typedExpression } from '../../engines/cel/expression.ts'
import { expressionProblems } from '../../engines/policy/compile-expression.ts'
import { type ChangePolicy, changePolicy } from '../../foundations/kinds/change-policy.ts'
import { checkDefinition } from '../../foundations/kinds/check-definition.ts'
import type { CustomResourceDefinition } from '../../foundations/kinds/custom-resource-definition.ts'
import {
  apiextensions,
  completeDefinition,
  recordedVersions,
} from '../../foundations/kinds/custom-resource-definition.ts'
import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { rbacGroup } from '../../foundations/kinds/policy-rule.ts'
import { fleetGroup, helmGroup } from '../../foundations/kinds/references.ts'
import { completeQuota, type ResourceQuota } from '../../foundations/kinds/resource-quota.ts'
import type { RoleBinding } from '../../foundations/kinds/role-binding.ts'
import { completeBinding } from '../../foundations/kinds/role-binding.ts'
import { type Rollout, rollout } from '../../foundations/kinds/rollout.ts'
import { gateExpressions } from '../../foundations/kinds/rollout-stages.ts'
import { type RolloutStrategy, rolloutStrategy } from '../../foundations/kinds/rollout-strategy.ts'
import { withoutEmptyFields } from '../../foundations/kinds/schema/compact.ts'
import { type FieldError, invalid } from '../../foundations/kinds/schema/field-error.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { onFailureAnnotation } from '../../foundations/kinds/undo.ts'
import type { WriteOptions } from './hub.ts'
import { ruleErrors } from './schema-rules.ts'
import { ruleProblem } from './validation-rules.ts'

export interface Strategy {
  /**
   * The object when its deletion is first requested, if it must stay until its dependents are handled. `now` is RFC 3339.
   */
  going?(object: KubernetesObject, now: string): KubernetesObject
  /** Fields that belong to the server unless written through their own subresource: no one owns them. */
  readonly serverFields?: readonly string[]
  /** Errors that only the hub can detect. */
  check?(object: KubernetesObject, old?: KubernetesObject): FieldError[]
  /** The normalized form of an object that can be written in several ways; its fields belong to the object's writer. */
  normalize?(object: KubernetesObject): KubernetesObject
  /** Sets what only the server may set; `old` is absent for a new object. */
  prepare?(
    object: KubernetesObject,
    old?: KubernetesObject,
    subresource?: WriteOptions['subresource'],
  ): KubernetesObject
}

/** Keeps a definition until the objects of its kind are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'
export const namespaceFinalizer = 'kubernetes'
const namespaceLabel = 'kubernetes.io/metadata.name'

const namespace: Strategy = {
  serverFields: ['spec'],
  normalize: object => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, [namespaceLabel]: object.metadata.name ?? '' },
    },
  }),
  prepare: (object, old, subresource) => {
    if (!old) return { ...object, spec: { finalizers: [namespaceFinalizer] }, status: { phase: 'Active' } }
    return subresource === 'finalize' ? object : { ...object, spec: old.spec }
  },
}

type Data = Readonly<Record<string, string>>

const secret: Strategy = {
  normalize: ({ stringData, ...object }) => {
    if (!stringData) return object
    const encoded = Object.entries(stringData as Data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
    return { ...object, data: Object.fromEntries([...Object.entries((object.data ?? {}) as Data), ...encoded]) }
  },
}

/** Rules are stored without empty lists, as in Kubernetes. */
const role: Strategy = {
  normalize: object => {
    const rules = object.rules as readonly object[] | undefined
    return rules ? { ...object, rules: rules.map(withoutEmptyFields) } : object
  },
}

const quota: Strategy = { normalize: object => completeQuota(object as ResourceQuota) }

const binding: Strategy = { normalize: object => completeBinding(object as RoleBinding) }

const withPendingCleanup = (object: CustomResourceDefinition, now: string): CustomResourceDefinition => {
  const { metadata, status } = object
  const others = status?.conditions?.filter(({ type }) => type !== 'Terminating') ?? []
  const pending = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  }
  const finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])]
  return {
    ...object,
    metadata: { ...metadata, finalizers, deletionTimestamp: now },
    ...(status && { status: { ...status, conditions: [...others, pending] } }),
  }
}

const definition: Strategy = {
  going: (object, now) => withPendingCleanup(object as CustomResourceDefinition, now),
  check: (object, old) =>
    checkDefinition(object as CustomResourceDefinition, old as CustomResourceDefinition | undefined, {
      problem: ruleProblem,
      places: ruleErrors,
    }),
  normalize: object => completeDefinition(object as CustomResourceDefinition),
  prepare: (object, old, subresource) => {
    const [next, before] = [object, old] as [CustomResourceDefinition, CustomResourceDefinition | undefined]
    return subresource === 'status' ? object : { ...next, status: recordedVersions(next, before) }
  },
}

/** Expressions are compiled, unless they were stored before. */
const policy: Strategy = {
  check: (object, old) =>
    isSameJson(object.spec, old?.spec)
      ? []
      : expressionProblems(object as ChangePolicy).map(({ field, text, problem }) => invalid(field, text, problem)),
}

/** Expressions of gates are compiled, unless they were stored before. */
const rolledOut: Strategy = {
  check: (object, old) => {
    const { spec } = object as Rollout | RolloutStrategy
    if (isSameJson(spec, old?.spec)) return []
    return gateExpressions(spec, 'spec').flatMap(({ field, text, variables }) =>
      expressionErrors(field, text, variables),
    )
  },
}

const expressionErrors = (field: string, text: string, variables: readonly string[]): FieldError[] => {
  try {
    const { type } = typedExpression(text, variables, 'dyn')
    return type === 'bool' || type === 'dyn' ? [] : [invalid(field, text, `must be true or false, not of type ${type}`)]
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return [invalid(field, text, error.message)]
  }
}

/** A decision of Flux's own fields, which another way to say it would contradict. */
const helmReleased: Strategy = {
  check: ({ metadata }, old) => {
    const value = metadata.annotations?.[onFailureAnnotation]
    if (value === undefined || value === old?.metadata.annotations?.[onFailureAnnotation]) return []
    const problem = 'a HelmRelease goes back by itself with spec.upgrade.remediation.remediateLastFailure: true'
    return [invalid(`metadata.annotations[${onFailureAnnotation}]`, value, problem)]
  },
}

const strategies = new Map<string, Strategy>([
  ['/Namespace', namespace],
  ['/Secret', secret],
  ['/ResourceQuota', quota],
  [`${apiextensions}/CustomResourceDefinition`, definition],
  [`${fleetGroup}/${changePolicy.kind}`, policy],
  [`${fleetGroup}/${rollout.kind}`, rolledOut],
  [`${fleetGroup}/${rolloutStrategy.kind}`, rolledOut],
  [`${helmGroup}/${helmRelease.kind}`, helmReleased],
  [`${rbacGroup}/Role`, role],
  [`${rbacGroup}/ClusterRole`, role],
  [`${rbacGroup}/RoleBinding`, binding],
  [`${rbacGroup}/ClusterRoleBinding`, binding],
])

const ordinary: Strategy = {}

/** The strategy of a kind; that of most kinds does nothing. */
export const strategyOf = ({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>): Strategy =>
  strategies.get(`${group}/${kind}`) ?? ordinary
