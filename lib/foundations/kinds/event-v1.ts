/** Event of events.k8s.io: the core group's Events, with newer field names. */
import { event, eventColumns } from './event.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { StructuralSchema } from './schema/schema.ts'
import { object } from './schema/schema.ts'

const eventsGroup = 'events.k8s.io'

/** The core group's field name, by newer name. */
const olderNames: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
}
const newerNames = new Map(Object.entries(olderNames).map(([newer, older]) => [older, newer]))

const renamed = (fields: Readonly<Record<string, unknown>>, name: (field: string) => string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [name(field), value]))

/** Converts a core Event to events.k8s.io. */
export const asNewEvent = ({ apiVersion, kind, metadata, ...content }: KubernetesObject): KubernetesObject => ({
  apiVersion: `${eventsGroup}/v1`,
  kind,
  metadata,
  ...renamed(content, field => newerNames.get(field) ?? field),
})

/** Converts an events.k8s.io Event to the core group. */
export const asCoreEvent = ({ apiVersion, kind, metadata, ...content }: KubernetesObject): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata,
  ...renamed(content, field => (Object.hasOwn(olderNames, field) ? olderNames[field]! : field)),
})

const { schema } = event.versions[0]!
const properties = renamed(schema.properties ?? {}, field => newerNames.get(field) ?? field) as Readonly<
  Record<string, StructuralSchema>
>

export const newEvent: Kind = {
  ...(event as unknown as Kind),
  group: eventsGroup,
  versions: [
    {
      name: 'v1',
      storage: true,
      schema: {
        ...object('Something that happened to an object.', {}),
        properties,
      } as Kind['versions'][number]['schema'],
      columns: eventColumns.map(column => ({
        ...column,
        cell: (shown, now) => column.cell(asCoreEvent(shown) as never, now),
      })),
    },
  ],
}
