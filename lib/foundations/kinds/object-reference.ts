import { object, optional, text } from './schema/schema.ts'

/** Schema of a core/v1 ObjectReference: a reference from one object to another, or to a field of it. */
export const objectReference = (description: string) =>
  object(
    description,
    {
      apiVersion: optional(text('API version of the object.')),
      kind: optional(text('Kind of the object.')),
      namespace: optional(text('Namespace of the object.')),
      name: optional(text('Name of the object.')),
      uid: optional(text('UID of the object.')),
      resourceVersion: optional(text('Version of the object.')),
      fieldPath: optional(text('Field path within the object.')),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  )
