/** The schema of metadata (metav1.ObjectMeta) and of whole objects, for apply, pruning and OpenAPI. */
import type { KindVersion } from './kind.ts'
import type { StructuralSchema } from './schema/schema.ts'
import { anyObject, flag, integer, list, map, object, optional, text } from './schema/schema.ts'

const time = (description: string) => optional(text(description, { format: 'date-time', nullable: true }))

const ownerReference = object(
  'An owner of the object. The object is deleted when all of its owners are.',
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

const managedFieldsEntry = object('Fields of one field manager.', {
  manager: optional(text('Name of the field manager.')),
  operation: optional(text('`Apply` or `Update`.')),
  apiVersion: optional(text('API version of the field names.')),
  time: time('Time of the last change of the field set.'),
  fieldsType: optional(text('`FieldsV1`.')),
  fieldsV1: optional(anyObject('The fields.', { 'x-kubernetes-map-type': 'atomic' })),
  subresource: optional(text('Subresource through which the fields were set. Empty for the object itself.')),
})

export const metadataSchema: StructuralSchema = object('Standard metadata of objects.', {
  name: optional(text('Name, unique within the kind and namespace.')),
  generateName: optional(text('Prefix of a name that the server generates.')),
  namespace: optional(text('Namespace of the object.')),
  selfLink: optional(text('No longer set.')),
  uid: optional(text('Unique in time and space.')),
  resourceVersion: optional(text('Opaque version, which changes with each write.')),
  generation: optional(integer('Number of the generation of the desired state.', { format: 'int64' })),
  creationTimestamp: time('Time of creation.'),
  deletionTimestamp: time('Time after which the object is deleted. Set by the server.'),
  deletionGracePeriodSeconds: optional(integer('Grace period of the deletion, in seconds.', { format: 'int64' })),
  labels: optional(map('Labels by which objects are selected.', text('Value of a label.', { default: '' }))),
  annotations: optional(map('Arbitrary metadata.', text('Value of an annotation.', { default: '' }))),
  finalizers: optional(
    list('Finalizers that must be removed before the object is deleted.', text('Name of a finalizer.'), {
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    }),
  ),
  ownerReferences: optional(
    list('Owners of the object.', ownerReference, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
    }),
  ),
  managedFields: optional(
    list('Field ownership by field manager.', managedFieldsEntry, { 'x-kubernetes-list-type': 'atomic' }),
  ),
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
