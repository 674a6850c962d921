/** RoleBinding: grants a Role or a ClusterRole in one namespace. */

import type { ComputedColumn, Kind } from './kind.ts'
import { checkPathSegment, checkSubdomain } from './names.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import { rbacGroup } from './policy-rule.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid, required, unsupported } from './schema/field-error.ts'
import { isSameJson } from './schema/same-json.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, optional, text } from './schema/schema.ts'

const atomicMap = { 'x-kubernetes-map-type': 'atomic' } as const

const subject = object(
  'A user, a group, or a ServiceAccount.',
  {
    kind: text('`User`, `Group` or `ServiceAccount`.'),
    name: text('Its name.'),
    apiGroup: optional(text('Group of the kind; empty for ServiceAccounts.')),
    namespace: optional(text('Namespace of a ServiceAccount.')),
  },
  atomicMap,
)

const roleRef = object(
  'The role. Immutable.',
  {
    kind: text('`Role` or `ClusterRole`.'),
    name: text('Name of the role.'),
    apiGroup: optional(text('Group of the kind.')),
  },
  atomicMap,
)

/** The schema of both kinds of bindings. */
export const bindingSchema = object('Subjects of a role.', {
  subjects: optional(list('Who has it.', subject, { 'x-kubernetes-list-type': 'atomic' })),
  roleRef,
})

export type Subject = TypeOf<typeof subject>
export type RoleBinding = KubernetesObject & TypeOf<typeof bindingSchema>

/** Validates both kinds of bindings; `roles` are the kinds of roles that may be bound. */
export const checkBinding = (roles: readonly string[]) => {
  const check = (binding: RoleBinding, old?: RoleBinding): FieldError[] => {
    const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {}
    return [
      ...(apiGroup === rbacGroup ? [] : [unsupported('roleRef.apiGroup', apiGroup, [rbacGroup])]),
      ...(roles.includes(kind) ? [] : [unsupported('roleRef.kind', kind, roles)]),
      ...(name === ''
        ? [required('roleRef.name')]
        : checkPathSegment(name).map(problem => invalid('roleRef.name', name, problem))),
      ...(binding.subjects ?? []).flatMap((item, index) =>
        checkSubject(item, `subjects[${index}]`, binding.kind === 'RoleBinding'),
      ),
      ...(old && !isSameJson(binding.roleRef, old.roleRef)
        ? [invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')]
        : []),
    ]
  }
  return check
}

/** ServiceAccounts of a RoleBinding are in its own namespace by default. */
const checkSubject = (
  { kind = '', name = '', apiGroup = '', namespace = '' }: Subject,
  field: string,
  isNamespaced: boolean,
): FieldError[] => {
  const errors = name === '' ? [required(`${field}.name`)] : []
  switch (kind) {
    case 'ServiceAccount':
      if (name) errors.push(...checkSubdomain(name).map(problem => invalid(`${field}.name`, name, problem)))
      if (apiGroup) errors.push(unsupported(`${field}.apiGroup`, apiGroup, ['']))
      if (!namespace && !isNamespaced) errors.push(required(`${field}.namespace`))
      return errors
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(unsupported(`${field}.apiGroup`, apiGroup, [rbacGroup]))
      return errors
    default:
      return [...errors, unsupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}

/** Kubernetes' defaults for bindings. */
export const completeBinding = (binding: RoleBinding): RoleBinding => ({
  ...binding,
  roleRef: { ...binding.roleRef, apiGroup: binding.roleRef?.apiGroup || rbacGroup },
  ...(binding.subjects && {
    subjects: binding.subjects.map(({ apiGroup, ...item }) => {
      const group = apiGroup || (item.kind === 'User' || item.kind === 'Group' ? rbacGroup : '')
      return group ? { apiGroup: group, ...item } : item
    }),
  }),
})

const wide = (name: string, kind: Subject['kind']): ComputedColumn<RoleBinding> => ({
  name,
  type: 'string',
  priority: 1,
  cell: ({ subjects = [] }) =>
    subjects
      .filter(subject => subject.kind === kind)
      .map(subject => (kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name))
      .join(', '),
})

/** Columns of both kinds of bindings. */
export const bindingColumns: readonly ComputedColumn<RoleBinding>[] = [
  { name: 'Role', type: 'string', cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  shownAge,
  wide('Users', 'User'),
  wide('Groups', 'Group'),
  wide('ServiceAccounts', 'ServiceAccount'),
]

export const roleBinding: Kind<RoleBinding> = {
  group: rbacGroup,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  shortNames: [],
  categories: [],
  namespaced: true,
  names: 'pathSegment',
  hasGeneration: false,
  native: true,
  always: { roleRef: { apiGroup: '', kind: '', name: '' } },
  check: checkBinding(['Role', 'ClusterRole']),
  versions: [{ name: 'v1', storage: true, schema: bindingSchema, columns: bindingColumns }],
}
