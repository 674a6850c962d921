/** Role: permissions in one namespace. */
import type { ComputedColumn, Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { checkRules, policyRules, rbacGroup } from './policy-rule.ts'
import type { TypeOf } from './schema/schema.ts'
import { object, optional } from './schema/schema.ts'

const schema = object('Permissions in one namespace.', { rules: optional(policyRules) })

export type Role = KubernetesObject & TypeOf<typeof schema>

/** Unlike other kinds, roles show their creation time, not their age. */
export const createdAt: ComputedColumn = {
  name: 'Created At',
  type: 'date',
  description: 'When the object was created.',
  cell: ({ metadata }) => metadata.creationTimestamp ?? '',
}

export const role: Kind<Role> = {
  group: rbacGroup,
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  shortNames: [],
  categories: [],
  namespaced: true,
  names: 'pathSegment',
  hasGeneration: false,
  native: true,
  always: { rules: null },
  check: ({ rules }) => checkRules(rules ?? [], true),
  versions: [{ name: 'v1', storage: true, schema, columns: [createdAt] }],
}
