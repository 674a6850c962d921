import type { ChangePolicy, PolicyRule } from '../../foundations/kinds/change-policy.ts'
import { groupOf, type KubernetesObject, versionOf } from '../../foundations/kinds/object.ts'
import { matchesSelector } from '../../foundations/rules/match-labels.ts'

/** A change of one object, as a request of admission shows it. */
export interface JudgedChange {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly apiVersion: string
  readonly kind: string
  /** Plural: `deployments`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  /** After the change; absent if it is deleted. */
  readonly object?: KubernetesObject
  /** Before the change; absent if it is created. */
  readonly oldObject?: KubernetesObject
  /** For messages: the object, and its file if that is known. */
  readonly title: string
  /** Whether none of its values may be in a message. */
  readonly isHidden: boolean
}

/** Whether `matchConstraints` select a change. */
export const matchesChange = ({ matchConstraints = {} }: ChangePolicy['spec'], change: JudgedChange): boolean => {
  const { resourceRules, excludeResourceRules = [], objectSelector } = matchConstraints
  const matches = (rule: PolicyRule) => matchesRule(rule, change)
  if (resourceRules && !resourceRules.some(matches)) return false
  if (excludeResourceRules.some(matches)) return false
  const selects = matchesSelector(objectSelector)
  const known = [change.object, change.oldObject].filter(object => object !== undefined)
  // Nobody knows the labels of what can't be read: it may be selected.
  return known.length === 0 || known.some(object => selects(object.metadata.labels ?? {}))
}

const matchesRule = (
  { apiGroups, apiVersions, operations, resources, resourceNames = [] }: PolicyRule,
  { apiVersion, operation, resource, name }: JudgedChange,
): boolean =>
  isOneOf(apiGroups, groupOf(apiVersion)) &&
  isOneOf(apiVersions, versionOf(apiVersion)) &&
  isOneOf(operations, operation) &&
  (isOneOf(resources, resource) || resources?.includes('*/*') === true) &&
  (resourceNames.length === 0 || resourceNames.includes(name))

/** An absent list matches everything. */
const isOneOf = (list: readonly string[] | undefined, value: string): boolean =>
  list === undefined || list.includes('*') || list.includes(value)

/** Kubernetes' guess (meta.UnsafeGuessKindToResource), for kinds that a cluster does not serve yet. */
export const guessResource = (kind: string): string => {
  const singular = kind.toLowerCase()
  if (singular.endsWith('endpoints')) return singular
  if (singular.endsWith('s')) return `${singular}es`
  if (singular.endsWith('y')) return `${singular.slice(0, -1)}ies`
  return `${singular}s`
}
