/** CustomResourceDefinition: a user-defined kind. */
import type { Kind } from './kind.ts'
import type { Condition, KubernetesObject } from './object.ts'
import type { Schema, StructuralSchema, TypeOf } from './schema/schema.ts'
import { anyObject, flag, integer, list, object, optional, text } from './schema/schema.ts'

export const apiextensions = 'apiextensions.k8s.io'

const atomic = { 'x-kubernetes-list-type': 'atomic' } as const
const words = (description: string) => optional(list(description, text('A word.'), atomic))

const names = (description: string) =>
  object(description, {
    plural: text('As in paths.'),
    singular: optional(text('As in commands; the kind in lower case unless given.')),
    shortNames: words('Shorter names for commands.'),
    kind: text('Kind of the objects.'),
    listKind: optional(text('Kind of lists of them.')),
    categories: words('Groups of resources in commands, such as `all`.'),
  })

const column = object('A column of tables.', {
  name: text('Title.'),
  type: text('`string`, `integer`, `number`, `boolean` or `date`.'),
  format: optional(text('A hint for clients.')),
  description: optional(text('What it shows.')),
  priority: optional(integer('Above 0: in wide tables only.', { format: 'int32' })),
  jsonPath: text('JSON path of the value.'),
})

/** An empty object: only its presence matters. */
const marker: Schema<object> = { type: 'object', description: 'The status is.' }

const version = object('One version of the kind.', {
  name: text('Its name, such as `v1`.'),
  served: flag('Whether it is served.'),
  storage: flag('Whether objects are stored in it: exactly one version is.'),
  deprecated: optional(flag('Whether clients are warned of it.')),
  deprecationWarning: optional(text('The warning.')),
  schema: optional(object('The schema of objects.', { openAPIV3Schema: optional(anyObject('A structural schema.')) })),
  subresources: optional(
    object('Parts that are written by themselves.', {
      status: optional(marker),
      scale: optional(
        object('How many replicas there are.', {
          specReplicasPath: text('Path of the desired number.'),
          statusReplicasPath: text('Path of the current number.'),
          labelSelectorPath: optional(text('Path of the selector of the replicas.')),
        }),
      ),
    }),
  ),
  additionalPrinterColumns: optional(list('Columns of tables.', column, atomic)),
  selectableFields: optional(
    list('Fields to select by.', object('A field.', { jsonPath: text('Its JSON path.') }), atomic),
  ),
})

const spec = object('What is defined.', {
  group: text('API group.'),
  names: names('How the kind is called.'),
  scope: text('`Namespaced` or `Cluster`.'),
  versions: list('Its versions.', version, { ...atomic, nullable: true }),
  conversion: optional(
    object('How objects get from one version to another.', {
      strategy: text('`None`: only the apiVersion changes.'),
      webhook: optional(anyObject('Who converts.')),
    }),
  ),
  preserveUnknownFields: optional(flag('No longer allowed.')),
})

const condition = object('One aspect.', {
  type: text('Which.'),
  status: text('`True`, `False` or `Unknown`.'),
  lastTransitionTime: optional(text('When the status last changed.', { format: 'date-time' })),
  reason: optional(text('Why, in one word.')),
  message: optional(text('The same for people.')),
  observedGeneration: optional(integer('Generation that this was found for.', { format: 'int64' })),
})

const status = object('Whether it is served.', {
  conditions: optional(
    list('What is known of it, by aspect.', condition, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      nullable: true,
    }),
  ),
  acceptedNames: optional(names('The names that it is served under.')),
  storedVersions: optional(
    list('Versions that objects may be stored in.', text('A version.'), { ...atomic, nullable: true }),
  ),
  observedGeneration: optional(integer('Generation that this was found for.', { format: 'int64' })),
})

const schema = object('A kind that users bring.', { spec, status: optional(status) })

export type CustomResourceDefinition = KubernetesObject & TypeOf<typeof schema>
export type DefinedVersion = CustomResourceDefinition['spec']['versions'][number]
export type DefinedNames = CustomResourceDefinition['spec']['names']

export const customResourceDefinition: Kind<CustomResourceDefinition> = {
  group: apiextensions,
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  hasGeneration: true,
  native: true,
  always: {
    spec: { group: '', names: { plural: '', kind: '' }, scope: '', versions: null },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  },
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [{ name: 'Created At', type: 'date', cell: ({ metadata }) => metadata.creationTimestamp ?? '' }],
    },
  ],
}

/** The schema of a version's objects. */
export const schemaOf = ({ schema }: DefinedVersion): StructuralSchema =>
  (schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) as StructuralSchema

export const conditionOf = ({ status }: CustomResourceDefinition, type: string): Condition | undefined =>
  (status?.conditions as readonly Condition[] | undefined)?.find(known => known.type === type)

/** The definition with Kubernetes' defaults. */
export const completeDefinition = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const { spec } = definition
  if (!spec?.names) return definition
  const { names } = spec
  const { kind = '' } = names
  return {
    ...definition,
    spec: {
      ...spec,
      names: {
        ...names,
        singular: names.singular || kind.toLowerCase(),
        listKind: names.listKind || (kind && `${kind}List`),
      },
      conversion: spec.conversion ?? { strategy: 'None' },
    },
  }
}

/** The status before the first reconciliation, or after the storage version changed. */
export const recordedVersions = (
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): CustomResourceDefinition['status'] => {
  const storage = definition.spec?.versions?.find(version => version.storage)?.name
  const before = definition.status ?? old?.status
  const stored = before?.storedVersions ?? []
  const storedVersions = storage && !stored.includes(storage) ? [...stored, storage] : stored
  if (before) return { ...before, storedVersions }
  return { conditions: null as never, acceptedNames: { plural: '', kind: '' }, storedVersions }
}
