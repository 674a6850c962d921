/** Roles and bindings, indexed so that a user's rules are found without reading those of others. */
import type { ClusterRole } from '../../foundations/kinds/cluster-role.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import type { RoleBinding, Subject } from '../../foundations/kinds/role-binding.ts'
import type { User } from './access.ts'
import { aggregatedRules } from './aggregated-rules.ts'

/** A binding that applies to a user, and the subject that matches. */
export interface Grant {
  readonly binding: RoleBinding
  readonly subject: Subject
}

export interface Policy {
  /** Sets the object's state, unless a newer one is known. */
  put(object: KubernetesObject): void
  remove(ref: ObjectRef): void
  /** The bindings that apply to a user in a namespace, cluster bindings first. '' for cluster bindings only. */
  grantsTo(user: User, namespace: string): readonly Grant[]
  /** The rules of a binding's role; undefined if the role does not exist. `namespace` is the binding's. */
  rulesOf(role: RoleBinding['roleRef'], namespace: string): readonly PolicyRule[] | undefined
  /** ClusterRoles that aggregate the rules of others, with the result. */
  aggregated(): readonly { readonly role: ClusterRole; readonly rules: readonly PolicyRule[] }[]
}

/**
 * An empty policy, to which objects are given one by one. Objects of other kinds than roles and bindings are kept too,
 * and grant nothing.
 */
export const policy = (): Policy => {
  const objects = new Map<string, KubernetesObject>()
  const clusterRoles = new Map<string, ClusterRole>()
  /** By namespace and subject. */
  const grants = new Map<string, Map<string, Grant>>()
  /** Rules of aggregated ClusterRoles, until any ClusterRole changes. */
  let aggregates = new Map<string, readonly PolicyRule[]>()

  const forget = (key: string) => {
    const known = objects.get(key)
    if (!known) return
    objects.delete(key)
    if (known.kind === 'ClusterRole') {
      clusterRoles.delete(known.metadata.name)
      aggregates = new Map()
    }
    if (!isBinding(known)) return
    for (const place of placesOf(known)) {
      const there = grants.get(place)
      there?.delete(key)
      if (there?.size === 0) grants.delete(place)
    }
  }

  const put: Policy['put'] = object => {
    const key = refKey(refOf(object))
    const known = objects.get(key)
    if (known && isNewer(known, object)) return
    forget(key)
    objects.set(key, object)
    if (object.kind === 'ClusterRole') {
      clusterRoles.set(object.metadata.name, object as ClusterRole)
      aggregates = new Map()
    }
    if (!isBinding(object)) return
    const { namespace = '' } = object.metadata
    for (const subject of object.subjects ?? []) {
      const place = placeOf(namespace, subject, namespace)
      if (place === undefined) continue
      const there = grants.get(place) ?? new Map<string, Grant>()
      grants.set(place, there)
      if (!there.has(key)) there.set(key, { binding: object, subject })
    }
  }

  const rulesOfClusterRole = (name: string): readonly PolicyRule[] | undefined => {
    const role = clusterRoles.get(name)
    if (!role?.aggregationRule) return role && (role.rules ?? [])
    const known = aggregates.get(name)
    if (known) return known
    // Roles that aggregate each other in a cycle: each uses the other's current rules.
    aggregates.set(name, role.rules ?? [])
    const others = [...clusterRoles.values()]
    const rules = aggregatedRules(role, others, other => rulesOfClusterRole(other.metadata.name) ?? [])
    aggregates.set(name, rules)
    return rules
  }

  return {
    put,
    remove: ref => forget(refKey(ref)),
    grantsTo: ({ name, groups }, namespace) => {
      const keys = [userKey(name), ...groups.map(groupKey)]
      const scopes = namespace === '' ? [''] : ['', namespace]
      const found = new Map<RoleBinding, Grant>()
      for (const scope of scopes)
        for (const key of keys)
          for (const grant of grants.get(`${scope}|${key}`)?.values() ?? [])
            if (!found.has(grant.binding)) found.set(grant.binding, grant)
      return [...found.values()]
    },
    rulesOf: ({ kind, name }, namespace) => {
      if (kind === 'ClusterRole') return rulesOfClusterRole(name)
      const role = objects.get(refKey({ group: 'rbac.authorization.k8s.io', kind: 'Role', namespace, name }))
      return role && ((role.rules ?? []) as readonly PolicyRule[])
    },
    aggregated: () =>
      [...clusterRoles.values()]
        .filter(role => role.aggregationRule)
        .map(role => ({ role, rules: rulesOfClusterRole(role.metadata.name) ?? [] })),
  }
}

const isBinding = (object: KubernetesObject): object is RoleBinding =>
  object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding'

const isNewer = ({ metadata: known }: KubernetesObject, { metadata: given }: KubernetesObject): boolean =>
  known.uid === given.uid && BigInt(known.resourceVersion ?? 0) > BigInt(given.resourceVersion ?? 0)

const userKey = (name: string) => `user:${name}`
const groupKey = (name: string) => `group:${name}`

/** The key of a subject's bindings within a scope. */
const placeOf = (scope: string, { kind, name, namespace }: Subject, own: string): string | undefined => {
  if (kind === 'User') return `${scope}|${userKey(name)}`
  if (kind === 'Group') return `${scope}|${groupKey(name)}`
  const home = namespace || own
  return kind === 'ServiceAccount' && home ? `${scope}|${userKey(`system:serviceaccount:${home}:${name}`)}` : undefined
}

const placesOf = ({ metadata: { namespace = '' }, subjects = [] }: RoleBinding): readonly string[] =>
  subjects.map(subject => placeOf(namespace, subject, namespace)).filter(place => place !== undefined)
