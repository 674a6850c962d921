/** The schema of metadata (metav1.ObjectMeta) and of whole objects, for apply, pruning and OpenAPI. */
import type { KindVersion } from './kind.ts'
import type { StructuralSchema } from './schema/schema.ts'
import { anyObject, flag, integer, list, map, object, optional, text } from './schema/schema.ts'

const time = (description: string) => optional(text(description, { format: 'date-time', nullable: true }))

const ownerReference = object(
  'An object this one belongs to: when all of them are gone, so is this one.',
  {
    apiVersion: text('API version of the owner.'),
    kind: text('Kind of the owner.'),
    name: text('Name of the owner.'),
    uid: text('UID of the owner.'),
    controller: optional(flag('Whether the owner manages this object; at most one does.')),
    blockOwnerDeletion: optional(flag('Whether a foreground deletion of the owner waits for this object.')),
  },
  { 'x-kubernetes-map-type': 'atomic' },
)

const managedFieldsEntry = object('Which fields one manager set.', {
  manager: optional(text('Who set them.')),
  operation: optional(text('`Apply` or `Update`.')),
  apiVersion: optional(text('API version in which the fields are named.')),
  time: time('When the set of fields last changed.'),
  fieldsType: optional(text('`FieldsV1`.')),
  fieldsV1: optional(anyObject('The fields.', { 'x-kubernetes-map-type': 'atomic' })),
  subresource: optional(text('Subresource through which they were set; empty for the object itself.')),
})

export const metadataSchema: StructuralSchema = object('What every object has.', {
  name: optional(text('Name, unique among its kind and namespace.')),
  generateName: optional(text('Prefix of a name that is made up by the server.')),
  namespace: optional(text('Namespace it lives in.')),
  selfLink: optional(text('No longer set.')),
  uid: optional(text('Unique in time and space.')),
  resourceVersion: optional(text('Opaque version, which changes with each write.')),
  generation: optional(integer('Counts changes of the desired state.', { format: 'int64' })),
  creationTimestamp: time('When it was created.'),
  deletionTimestamp: time('When it is due to go; set by the server.'),
  deletionGracePeriodSeconds: optional(integer('Seconds it was given to go.', { format: 'int64' })),
  labels: optional(map('Short facts to select by.', text('Value of a label.', { default: '' }))),
  annotations: optional(map('Other facts.', text('Value of an annotation.', { default: '' }))),
  finalizers: optional(
    list('What must be done before it can go.', text('Name of a finalizer.'), {
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    }),
  ),
  ownerReferences: optional(
    list('What it belongs to.', ownerReference, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
    }),
  ),
  managedFields: optional(list('Who set which fields.', managedFieldsEntry, { 'x-kubernetes-list-type': 'atomic' })),
})

/** A kind's schema with apiVersion, kind and metadata added. */
const wholeSchema = (schema: StructuralSchema): StructuralSchema => ({
  ...schema,
  properties: {
    apiVersion: text(
      'API version of this representation: `<group>/<version>`, or the version alone in the core group.',
    ),
    kind: text('Kind of the object.'),
    metadata: metadataSchema,
    ...schema.properties,
  },
})

const wholeSchemas = new WeakMap<KindVersion, StructuralSchema>()

/** `wholeSchema` of a version, created once. */
export const wholeSchemaOf = (version: KindVersion): StructuralSchema => {
  const known = wholeSchemas.get(version)
  if (known) return known
  const schema = wholeSchema(version.schema)
  wholeSchemas.set(version, schema)
  return schema
}
