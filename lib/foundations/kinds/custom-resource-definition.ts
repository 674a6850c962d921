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
    plural: text('Plural name, used in paths.'),
    singular: optional(text('Singular name, used in commands. Defaults to the kind in lower case.')),
    shortNames: words('Shorter names for commands.'),
    kind: text('Kind of the objects.'),
    listKind: optional(text('Kind of lists of them.')),
    categories: words('Groups of resources in commands, such as `all`.'),
  })

const column = object('A column of the table output.', {
  name: text('Title.'),
  type: text('`string`, `integer`, `number`, `boolean` or `date`.'),
  format: optional(text('A hint for clients.')),
  description: optional(text('Description of the column.')),
  priority: optional(integer('Columns above 0 are only shown in wide tables.', { format: 'int32' })),
  jsonPath: text('JSON path of the value.'),
})

/** An empty object: only its presence matters. */
const marker: Schema<object> = { type: 'object', description: 'The status subresource.' }

const version = object('One version of the kind.', {
  name: text('Name of the version, such as `v1`.'),
  served: flag('Whether the version is served.'),
  storage: flag('Whether objects are stored in this version. True for exactly one version.'),
  deprecated: optional(flag('Whether the version is deprecated: clients get a warning.')),
  deprecationWarning: optional(text('The warning.')),
  schema: optional(object('The schema of objects.', { openAPIV3Schema: optional(anyObject('A structural schema.')) })),
  subresources: optional(
    object('Subresources of the version.', {
      status: optional(marker),
      scale: optional(
        object('Number of replicas.', {
          specReplicasPath: text('Path of the desired number.'),
          statusReplicasPath: text('Path of the current number.'),
          labelSelectorPath: optional(text('Path of the selector of the replicas.')),
        }),
      ),
    }),
  ),
  additionalPrinterColumns: optional(list('Columns of the table output.', column, atomic)),
  selectableFields: optional(
    list('Fields to select by.', object('A field.', { jsonPath: text('JSON path of the field.') }), atomic),
  ),
})

const spec = object('Definition of the kind.', {
  group: text('API group.'),
  names: names('Names of the kind.'),
  scope: text('`Namespaced` or `Cluster`.'),
  versions: list('Versions of the kind.', version, { ...atomic, nullable: true }),
  conversion: optional(
    object('Conversion of objects between versions.', {
      strategy: text('`None`: only the apiVersion changes.'),
      webhook: optional(anyObject('Webhook for the conversion.')),
    }),
  ),
  preserveUnknownFields: optional(flag('No longer allowed.')),
})

const condition = object('One aspect.', {
  type: text('Which.'),
  status: text('`True`, `False` or `Unknown`.'),
  lastTransitionTime: optional(text('Time of the last transition of the status.', { format: 'date-time' })),
  reason: optional(text('Reason, in one word.')),
  message: optional(text('Human-readable message.')),
  observedGeneration: optional(integer('Generation of the object that the condition describes.', { format: 'int64' })),
})

const status = object('Whether the version is served.', {
  conditions: optional(
    list('Current conditions.', condition, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      nullable: true,
    }),
  ),
  acceptedNames: optional(names('Names under which it is served.')),
  storedVersions: optional(
    list('Versions in which objects may be stored.', text('A version.'), { ...atomic, nullable: true }),
  ),
  observedGeneration: optional(integer('Generation of the object that the condition describes.', { format: 'int64' })),
})

const schema = object('A user-defined kind.', { spec, status: optional(status) })

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

/**
 * The condition of this type (`Established`, `NamesAccepted`, `Terminating`) in a definition's status; undefined until
 * the CRD controller has written it.
 */
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
