/** Event: something that happened to an object. */

import { ageOf } from './human-duration.ts'
import type { ComputedColumn, Kind } from './kind.ts'
import { checkQualifiedName } from './names.ts'
import type { KubernetesObject } from './object.ts'
import { objectReference } from './object-reference.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid, required } from './schema/field-error.ts'
import type { Schema, TypeOf } from './schema/schema.ts'
import { integer, object, optional, text } from './schema/schema.ts'

/** Null if unknown. */
const time = (description: string): Schema<string | null> => text(description, { format: 'date-time', nullable: true })

const schema = object('Something that happened to an object.', {
  involvedObject: objectReference('Object of the event.'),
  reason: optional(text('Reason, in one CamelCase word.')),
  message: optional(text('Human-readable message.')),
  type: optional(text('`Normal` or `Warning`.')),
  count: optional(integer('Number of occurrences.', { format: 'int32' })),
  firstTimestamp: optional(time('Time of the first occurrence.')),
  lastTimestamp: optional(time('Time of the last occurrence.')),
  eventTime: optional(time('Time of the occurrence, in microseconds.')),
  series: optional(
    object('The series of occurrences.', {
      count: optional(integer('How often.', { format: 'int32' })),
      lastObservedTime: optional(time('Time of the last occurrence.')),
    }),
  ),
  source: optional(
    object('The reporting component, in the older form.', {
      component: optional(text('Name of the program.')),
      host: optional(text('Node on which it runs.')),
    }),
  ),
  action: optional(text('Action taken.')),
  related: optional(objectReference('Related object.')),
  reportingComponent: optional(text('Reporting component.')),
  reportingInstance: optional(text('Reporting instance.')),
})

export type Event = KubernetesObject & TypeOf<typeof schema>

/** Limits of the newer form, in bytes. */
const maxLengths = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const

function checkEvent(object: Event): FieldError[] {
  const namespace = object.metadata.namespace ?? ''
  const about = object.involvedObject.namespace ?? ''
  // Events about cluster-scoped objects are in the default namespace.
  const homes = object.eventTime ? ['default', 'kube-system'] : ['default']
  const isHome = about === '' ? homes.includes(namespace) : Boolean(object.eventTime) || about === namespace
  const errors = isHome ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]
  return object.eventTime ? [...errors, ...checkNewForm(object)] : errors
}

const checkNewForm = (object: Event): FieldError[] => {
  const { reportingComponent = '' } = object
  const errors = reportingComponent === '' ? [required('reportingComponent')] : []
  errors.push(
    ...checkQualifiedName(reportingComponent).map(problem =>
      invalid('reportingComponent', reportingComponent, problem),
    ),
  )
  for (const field of ['reportingInstance', 'action', 'reason', 'message'] as const) {
    const value = object[field] ?? ''
    if (value === '' && field !== 'message') errors.push(required(field))
    if (Buffer.byteLength(value) > maxLengths[field])
      errors.push(invalid(field, '', `can have at most ${maxLengths[field]} characters`))
  }
  return errors
}

const firstSeen = (object: Event, now: number) => ageOf(object.firstTimestamp ?? object.eventTime, now)

const lastSeen = (object: Event, now: number) => {
  if (object.series) return ageOf(object.series.lastObservedTime, now)
  return object.lastTimestamp ? ageOf(object.lastTimestamp, now) : firstSeen(object, now)
}

const sourceOf = ({ source = {}, reportingComponent, reportingInstance }: Event) => {
  const instance = source.host || reportingInstance
  return `${source.component || reportingComponent || ''}${instance ? `, ${instance}` : ''}`
}

const column = (name: string, cell: (object: Event, now: number) => string | number, more: object = {}) => ({
  name,
  type: 'string' as const,
  cell,
  ...more,
})

const wide = { priority: 1 }

export const eventColumns: readonly ComputedColumn<Event>[] = [
  column('Last Seen', lastSeen),
  column('Type', ({ type = '' }) => type),
  column('Reason', ({ reason = '' }) => reason),
  column('Object', ({ involvedObject: { kind = '', name } }) => [kind.toLowerCase(), name].filter(Boolean).join('/')),
  column('Subobject', ({ involvedObject }) => involvedObject.fieldPath ?? '', wide),
  column('Source', sourceOf, wide),
  column('Message', ({ message = '' }) => message.trim()),
  column('First Seen', firstSeen, wide),
  column('Count', ({ series, count }) => series?.count || count || 1, wide),
  column('Name', ({ metadata }) => metadata.name, { ...wide, format: 'name' }),
]

export const event: Kind<Event> = {
  group: '',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  native: true,
  always: {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  check: checkEvent,
  versions: [{ name: 'v1', storage: true, schema, columns: eventColumns }],
}
