/** ClusterRoleBinding: grants a ClusterRole in the whole cluster. */
import type { Kind } from './kind.ts'
import { rbacGroup } from './policy-rule.ts'
import type { RoleBinding } from './role-binding.ts'
import { bindingColumns, bindingSchema, checkBinding } from './role-binding.ts'

export const clusterRoleBinding: Kind<RoleBinding> = {
  group: rbacGroup,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  shortNames: [],
  categories: [],
  namespaced: false,
  names: 'pathSegment',
  hasGeneration: false,
  native: true,
  always: { roleRef: { apiGroup: '', kind: '', name: '' } },
  check: checkBinding(['ClusterRole']),
  versions: [{ name: 'v1', storage: true, schema: bindingSchema, columns: bindingColumns }],
}
