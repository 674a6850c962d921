import { quote } from '../../foundations/go/quote.ts'
import type { ClusterRole } from '../../foundations/kinds/cluster-role.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import { rbacGroup } from '../../foundations/kinds/policy-rule.ts'
import type { RoleBinding } from '../../foundations/kinds/role-binding.ts'
import { goList } from '../../foundations/kinds/schema/field-error.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { forbidden, notFound } from '../store/api-errors.ts'
import { ApiError } from '../store/hub.ts'
import type { Authorize, Authorizer, Decision, User, UserRules } from './access.ts'
import { isMaster } from './access.ts'
import { requireApprovalAllowed } from './approve.ts'
import { requireGrantableTarget } from './grantable-target.ts'
import { requireOverrideAllowed } from './override.ts'
import type { Grant, Policy } from './policy.ts'
import { describeRule, missingRules, TooManyPermissions } from './rule-covering.ts'
import { allows } from './rule-matching.ts'

/** Authorizes by Roles, ClusterRoles and their bindings, like Kubernetes' RBAC. `current` returns the current roles and bindings. */
export const rbacAuthorizer = (current: () => Promise<Policy>): Authorizer => {
  const authorize: Authorize = async attributes => {
    const { user, resource } = attributes
    if (isMaster(user)) return { allowed: true }
    const policy = await current()
    const missing: string[] = []
    for (const grant of policy.grantsTo(user, resource?.namespace ?? '')) {
      const rules = rulesOf(policy, grant)
      if (typeof rules === 'string') missing.push(rules)
      else if (rules.some(rule => allows(rule, attributes))) return { allowed: true, reason: describeGrant(grant) }
    }
    return denied(missing)
  }

  const rulesFor = async (user: User, namespace: string): Promise<UserRules> => {
    const policy = await current()
    const found = policy.grantsTo(user, namespace).map(grant => rulesOf(policy, grant))
    return {
      rules: found.filter(rules => typeof rules !== 'string').flat(),
      errors: found.filter(rules => typeof rules === 'string'),
    }
  }

  // ---- privilege escalation prevention ----

  const requireGrantable: Authorizer['requireGrantable'] = async (user, object, old) => {
    await requireOverrideAllowed(user, object, old, authorize)
    await requireApprovalAllowed(user, object, old, authorize)
    if (isMaster(user)) return
    await requireGrantableTarget(user, object, old, authorize)
    if (groupOf(object.apiVersion) !== rbacGroup) return
    if (old && isOnlyCollected(object, old)) return
    if (object.kind === 'Role' || object.kind === 'ClusterRole') return requireRole(user, object as ClusterRole, old)
    return requireBinding(user, object as RoleBinding)
  }

  const requireRole = async (user: User, role: ClusterRole, old: KubernetesObject | undefined) => {
    const resource = resourceOf(role.kind)
    if (await mayUse(user, 'escalate', role.kind, role.metadata)) return
    await requireHeld(user, role.metadata, resource, role.rules ?? [])
    const isAggregated = role.aggregationRule ?? (old as ClusterRole | undefined)?.aggregationRule
    if (!isAggregated || (await missing(user, '', allRules)).length === 0) return
    throw forbidden(resource, role.metadata.name, 'must have cluster-admin privileges to use the aggregationRule')
  }

  const requireBinding = async (user: User, binding: RoleBinding) => {
    const { roleRef, metadata } = binding
    const { namespace = '' } = metadata
    if (await mayUse(user, 'bind', roleRef.kind, { name: roleRef.name, namespace })) return
    const rules = (await current()).rulesOf(roleRef, namespace)
    if (!rules) throw notFound(resourceOf(binding.kind), roleRef.name)
    await requireHeld(user, metadata, resourceOf(binding.kind), rules)
  }

  /** `bind` and `escalate` are verbs on roles, for users who may grant what they don't have. */
  const mayUse = async (user: User, verb: string, kind: string, { name, namespace = '' }: Placed): Promise<boolean> => {
    const { plural } = resourceOf(kind)
    const resource = { group: rbacGroup, version: '*', resource: plural, subresource: '', namespace, name }
    return (await authorize({ user, verb, path: '', resource })).allowed
  }

  const requireHeld = async (user: User, metadata: Placed, resource: Resource, rules: readonly PolicyRule[]) => {
    const lacking = await missing(user, metadata.namespace ?? '', rules)
    if (lacking.length === 0) return
    const descriptions = [...new Set(lacking.map(describeRule))].sort()
    const { errors } = await rulesFor(user, metadata.namespace ?? '')
    const unresolved = errors.length > 0 ? `; resolution errors: [${errors.join(', ')}]` : ''
    throw forbidden(
      resource,
      metadata.name,
      `user ${quote(user.name)} (groups=${goList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${descriptions.join('\n')}${unresolved}`,
    )
  }

  const missing = async (user: User, namespace: string, rules: readonly PolicyRule[]) => {
    try {
      return missingRules((await rulesFor(user, namespace)).rules, rules)
    } catch (error) {
      if (error instanceof TooManyPermissions) throw new ApiError(403, 'Forbidden', error.message)
      throw error
    }
  }

  return { authorize, rulesFor, requireGrantable }
}

interface Placed {
  readonly name: string
  readonly namespace?: string
}

const allRules: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

const resourceOf = (kind: string) => ({ group: rbacGroup, plural: `${kind.toLowerCase()}s` })
type Resource = ReturnType<typeof resourceOf>

/** The rules of a grant, or its error. */
const rulesOf = (policy: Policy, { binding }: Grant): readonly PolicyRule[] | string => {
  const { kind, name } = binding.roleRef
  return (
    policy.rulesOf(binding.roleRef, binding.metadata.namespace ?? '') ??
    `${kind.toLowerCase()}.${rbacGroup} "${name}" not found`
  )
}

const denied = (missing: readonly string[]): Decision => {
  const errors = [...new Set(missing)]
  if (errors.length === 0) return { allowed: false }
  return { allowed: false, reason: `RBAC: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}` }
}

/** `RBAC: allowed by RoleBinding "a/team" of ClusterRole "edit" to User "jane"`. */
const describeGrant = ({ binding: { kind, metadata, roleRef }, subject }: Grant): string => {
  const name = metadata.namespace ? `${metadata.name}/${metadata.namespace}` : metadata.name
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? ''}` : subject.name
  return `RBAC: allowed by ${kind} ${quote(name)} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`
}

/** A change that only affects garbage collection (owners, finalizers) grants nothing. */
const isOnlyCollected = (object: KubernetesObject, old: KubernetesObject): boolean =>
  isSameJson(withoutCollection(object), withoutCollection(old))

const withoutCollection = ({ metadata, ...content }: KubernetesObject) => {
  const { ownerReferences, finalizers, managedFields, ...rest } = metadata
  return { ...content, metadata: rest }
}
