/** Event: something that happened to an object. */
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema.ts'
import { integer, object, optional, text } from './schema.ts'

const microTime = (description: string) => text(description, { format: 'date-time' })

const objectReference = (description: string) =>
  object(
    description,
    {
      apiVersion: optional(text('API version of the object.')),
      kind: optional(text('Kind of the object.')),
      namespace: optional(text('Namespace of the object.')),
      name: optional(text('Name of the object.')),
      uid: optional(text('UID of the object.')),
      resourceVersion: optional(text('Version of the object.')),
      fieldPath: optional(text('Part of the object that is meant.')),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  )

const schema = object('Something that happened to an object.', {
  involvedObject: objectReference('What it happened to.'),
  reason: optional(text('Why, in one CamelCase word.')),
  message: optional(text('The same for people.')),
  type: optional(text('`Normal` or `Warning`.')),
  count: optional(integer('How often it happened.', { format: 'int32' })),
  firstTimestamp: optional(text('When it first happened.', { format: 'date-time' })),
  lastTimestamp: optional(text('When it last happened.', { format: 'date-time' })),
  eventTime: optional(microTime('When it happened, to the microsecond.')),
  series: optional(
    object('How often it happened since.', {
      count: optional(integer('How often.', { format: 'int32' })),
      lastObservedTime: optional(microTime('When last.')),
    }),
  ),
  source: optional(
    object('Who says so, in the older form.', {
      component: optional(text('Name of the program.')),
      host: optional(text('Node it runs on.')),
    }),
  ),
  action: optional(text('What was done about it.')),
  related: optional(objectReference('Another object that has to do with it.')),
  reportingComponent: optional(text('Who says so.', { default: '' })),
  reportingInstance: optional(text('Which instance says so.', { default: '' })),
})

export type Event = KubernetesObject & TypeOf<typeof schema>
export type EventTarget = TypeOf<ReturnType<typeof objectReference>>

export const event: Kind<Event> = {
  group: '',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  versions: [{ name: 'v1', storage: true, schema, columns: [] }],
}
