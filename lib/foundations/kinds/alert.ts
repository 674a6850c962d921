/** Alert: which events to send, and through which Provider. */

import { ageColumn } from './flux.ts'
import type { Kind } from './kind.ts'
import { notificationReference } from './notification-reference.ts'
import type { KubernetesObject, ObjectRef } from './object.ts'
import { groupOf, refOf } from './object.ts'
import { groupOfFluxKind } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, map, object, oneOf, optional, text } from './schema/schema.ts'

const group = 'notification.toolkit.fluxcd.io'

const eventSource = object('Objects whose events are sent.', notificationReference)

const spec = object('Events to send, and their destination.', {
  providerRef: object('The Provider that sends them.', { name: text('Name of the referenced object.') }),
  eventSeverity: optional(
    oneOf('`info` sends all events, `error` only failures.', ['info', 'error'], { default: 'info' }),
  ),
  eventSources: list('Objects whose events are sent.', eventSource),
  inclusionList: optional(list('Send only messages that match one of these.', text('A regular expression (RE2).'))),
  exclusionList: optional(list('Do not send messages that match one of these.', text('A regular expression (RE2).'))),
  eventMetadata: optional(map('Added to every event.', text('Value of a key.'))),
  summary: optional(text('Added to every event as `summary`, as in eventMetadata.', { maxLength: 255 })),
  suspend: optional(flag('Suspend the sending of events.')),
})

const schema = object('Events to send, and their destination.', { spec })

export type Alert = KubernetesObject & TypeOf<typeof schema>
export type EventSource = TypeOf<typeof eventSource>

export const alert: Kind<Alert> = {
  group,
  kind: 'Alert',
  plural: 'alerts',
  singular: 'alert',
  shortNames: [],
  categories: ['all', 'fluxcd', 'fluxcd-notifications'],
  namespaced: true,
  hasGeneration: true,
  references: ({ spec }, find) => [
    find.object(spec?.providerRef, { group, kind: 'Provider' }),
    ...(spec?.eventSources ?? []).map(from => find.object(from, { group: groupOfFluxKind(from.kind) })),
  ],
  versions: [{ name: 'v1beta3', storage: true, schema, columns: [ageColumn] }],
}

/**
 * A name for the objects of one kind in one namespace, in the index of references: Alerts refer to their event sources by it, so that the
 * Alerts for an event are found without reading all of them.
 */
export const eventsOf = (kind: string, namespace: string): ObjectRef => ({
  group,
  kind: 'EventSource',
  namespace,
  name: kind,
})

/**
 * Keelson's own annotations: Clusters, and Rollouts, whose events are sent, too, as Flux's Alerts can't name them. `*` for all of the Alert's
 * namespace, or names separated by commas; `namespace/name` and `namespace/*` for other namespaces.
 */
const ownSources = [
  ['Cluster', 'notification.keelson.dev/clusters'],
  ['Rollout', 'notification.keelson.dev/rollouts'],
] as const

/** On an Alert that also sends what users do with its sources, in the console and by agents: `*`, or reasons of these events separated by commas. */
export const actionsAnnotation = 'notification.keelson.dev/actions'

/** A source of events, of any kind. */
export type AnyEventSource = Omit<EventSource, 'kind'> & { readonly kind: string }

/** The sources of an Alert: those of its spec, and those of its annotations. */
export const eventSourcesOf = ({ metadata: { annotations = {} }, spec }: Alert): readonly AnyEventSource[] => [
  ...(spec?.eventSources ?? []),
  ...ownSources.flatMap(([kind, annotation]) => {
    const names = (annotations[annotation] ?? '').split(',').map(text => text.trim())
    return names.filter(text => text !== '').map(text => sourceNamed(kind, text))
  }),
]

const sourceNamed = (kind: string, text: string): AnyEventSource => {
  const slash = text.indexOf('/')
  return { kind, name: text.slice(slash + 1), ...(slash > 0 && { namespace: text.slice(0, slash) }) }
}

/** The index entries of an Alert's event sources. */
export const eventSourceRefs = (object: KubernetesObject): readonly ObjectRef[] => {
  if (object.kind !== 'Alert' || groupOf(object.apiVersion) !== group) return []
  const { namespace } = refOf(object)
  return eventSourcesOf(object as Alert).map(source => eventsOf(source.kind, source.namespace || namespace))
}
