import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { isAccepted, isRefused, type Judged, type Refused } from './apply-engine.ts'

/** What must be applied before a provisional verdict is repeated. */
export type PendingPart = 'earlier stage' | 'role'

/**
 * The provisional ones among the verdicts of a set's stages: the cluster gave them before the set was applied,
 * and earlier objects of the same set may change them. All others are final.
 */
export const provisionalVerdicts = (stages: readonly (readonly Judged[])[]): ReadonlyMap<Judged, PendingPart> => {
  const provisional = new Map<Judged, PendingPart>()
  for (const [index, stage] of stages.entries()) {
    const earlier = stages.slice(0, index).flat()
    for (const one of stage) {
      if (isRefused(one) ? mayResolve(one, earlier) : isDefinitionChanging(one, earlier))
        provisional.set(one, 'earlier stage')
      else if (isRefused(one) && isRoleMissing(one, stage)) provisional.set(one, 'role')
    }
  }
  return provisional
}

/** The object of the same set that must be applied before this one can be judged; undefined if it may be any. */
export const awaitedObject = ({ desired }: Judged, others: readonly Judged[]): KubernetesObject | undefined =>
  others.find(
    ({ desired: other }) => definesKindOf(other, desired) || isNamespaceOf(other, desired) || isRoleOf(other, desired),
  )?.desired

/** Whether objects of this set may resolve the refusal. */
const mayResolve = (one: Refused, earlier: readonly Judged[]): boolean => {
  const { desired, failure } = one
  if (isDefinitionChanging(one, earlier)) return true
  switch (failure.cause.code) {
    case 'noMatch':
      return earlier.some(({ desired: other }) => definesKindOf(other, desired))
    case 'notFound':
      return isRoleMissing(one, earlier) || earlier.some(({ desired: other }) => isNamespaceOf(other, desired))
    case 'forbidden':
      return earlier.some(changes)
    default:
      return false
  }
}

const changes = (one: Judged): boolean => isAccepted(one) && !['skipped', 'unchanged'].includes(one.verdict.action)

/** Whether the definition of an object's kind changes: an old schema prunes new fields, and refuses new values. */
const isDefinitionChanging = ({ desired }: Judged, earlier: readonly Judged[]): boolean =>
  earlier.some(one => changes(one) && definesKindOf(one.desired, desired))

const definesKindOf = ({ kind, spec }: KubernetesObject, object: KubernetesObject): boolean => {
  const { group, names } = (spec ?? {}) as { readonly group?: string; readonly names?: { readonly kind?: string } }
  return kind === 'CustomResourceDefinition' && group === groupOf(object.apiVersion) && names?.kind === object.kind
}

const rbac = 'rbac.authorization.k8s.io'

/**
 * Whether a binding was refused because its role is in the same set. An API server looks up the rules of a role if
 * the user may not bind every role, as an impersonated account for instance (KS-134).
 */
const isRoleMissing = ({ desired, failure }: Refused, others: readonly Judged[]): boolean =>
  failure.cause.code === 'notFound' && others.some(({ desired: other }) => isRoleOf(other, desired))

const isNamespaceOf = ({ kind, metadata }: KubernetesObject, object: KubernetesObject): boolean =>
  kind === 'Namespace' && metadata.name === object.metadata.namespace

/** Whether an object is the role of a binding. */
const isRoleOf = ({ apiVersion, kind, metadata }: KubernetesObject, binding: KubernetesObject): boolean => {
  const { roleRef } = binding as { readonly roleRef?: { readonly kind?: string; readonly name?: string } }
  return (
    roleRef !== undefined &&
    groupOf(binding.apiVersion) === rbac &&
    groupOf(apiVersion) === rbac &&
    kind === roleRef.kind &&
    metadata.name === roleRef.name &&
    (kind === 'ClusterRole' || metadata.namespace === binding.metadata.namespace)
  )
}
