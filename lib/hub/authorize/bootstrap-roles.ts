import type { ClusterRole } from '../../foundations/kinds/cluster-role.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import { rbacGroup } from '../../foundations/kinds/policy-rule.ts'
import type { RoleBinding } from '../../foundations/kinds/role-binding.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Hub } from '../store/hub.ts'
import { ApiError } from '../store/hub.ts'
import { defaultClusterRoleBindings, defaultClusterRoles } from './default-roles.ts'
import { missingRules } from './rule-covering.ts'

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'
const manager = { fieldManager: 'keelson' }

/**
 * Ensures that the default roles and bindings exist and have at least their default rules; call it at each start. Like kube-apiserver it
 * adds what is missing and removes nothing; objects annotated `autoupdate: "false"` are left alone.
 */
export const bootstrapRoles = async (hub: Pick<Hub, 'list' | 'create' | 'update'>): Promise<void> => {
  const roles = await byName<ClusterRole>(hub, 'ClusterRole')
  await Promise.all(defaultClusterRoles.map(role => ensure(hub, role, roles.get(role.metadata.name), withRules)))
  const bindings = await byName<RoleBinding>(hub, 'ClusterRoleBinding')
  await Promise.all(
    defaultClusterRoleBindings.map(binding => ensure(hub, binding, bindings.get(binding.metadata.name), withSubjects)),
  )
}

const byName = async <T extends KubernetesObject>(hub: Pick<Hub, 'list'>, kind: string) => {
  const { items } = await hub.list<T>({ group: rbacGroup, kind, labelSelector: 'kubernetes.io/bootstrapping' })
  return new Map(items.map(item => [item.metadata.name, item]))
}

const ensure = async <T extends KubernetesObject>(
  hub: Pick<Hub, 'create' | 'update'>,
  wanted: T,
  found: T | undefined,
  completed: (found: T, wanted: T) => T,
): Promise<void> => {
  try {
    if (!found) await hub.create(wanted, manager)
    else if (found.metadata.annotations?.[autoUpdate] !== 'false') {
      const next = withMetadata(completed(found, wanted), wanted)
      if (!isSameJson(next, found)) await hub.update(next, manager)
    }
  } catch (error) {
    // Another process is starting too, or a user has taken over the role by removing its label.
    if (!(error instanceof ApiError) || (error.reason !== 'AlreadyExists' && error.reason !== 'Conflict')) throw error
  }
}

const withMetadata = <T extends KubernetesObject>(object: T, { metadata: { labels, annotations } }: T): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...labels, ...object.metadata.labels },
    annotations: { ...annotations, ...object.metadata.annotations },
  },
})

const withRules = (found: ClusterRole, wanted: ClusterRole): ClusterRole => {
  const { aggregationRule } = wanted
  if (aggregationRule) return { ...found, aggregationRule: found.aggregationRule ?? aggregationRule }
  const missing: readonly PolicyRule[] = missingRules(found.rules ?? [], wanted.rules ?? [])
  return missing.length > 0 ? { ...found, rules: [...(found.rules ?? []), ...missing] } : found
}

const withSubjects = (found: RoleBinding, wanted: RoleBinding): RoleBinding => {
  const subjects = found.subjects ?? []
  const missing = (wanted.subjects ?? []).filter(subject => !subjects.some(known => isSameJson(known, subject)))
  return missing.length > 0 ? { ...found, subjects: [...subjects, ...missing] } : found
}
