import type { Alert } from '../../foundations/kinds/alert.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { objectPath } from '../../foundations/rules/object-path.ts'
import type { Metadata, Notification } from './notification.ts'

const eventPrefix = 'event.toolkit.fluxcd.io/'

const groupPrefixOf = ({ involvedObject }: Notification): string => `${groupOf(involvedObject.apiVersion)}/`

/**
 * Keeps the metadata of two prefixes: that of events, and that of the object's own group; without checksums, as in
 * Flux.
 */
export const withRelevantMetadata = (notification: Notification): Notification => {
  const prefix = groupPrefixOf(notification)
  const internal = ['checksum', 'digest', 'token'].map(key => prefix + key)
  const entries = Object.entries(notification.metadata ?? {}).filter(
    ([key]) => (key.startsWith(eventPrefix) || key.startsWith(prefix)) && !internal.includes(key),
  )
  return { ...notification, metadata: Object.fromEntries(entries) }
}

/**
 * Merges the metadata to send, under short keys. Later ones win (RFC 0008 of Flux): annotations of the object, the
 * Alert's eventMetadata, its summary, the controller.
 */
export const withMetadataOf = (notification: Notification, { spec }: Alert): Notification => {
  const { metadata = {} } = notification
  const combined: Metadata = {
    ...underPrefix(metadata, eventPrefix),
    ...spec.eventMetadata,
    ...(spec.summary && { summary: spec.summary }),
    ...underPrefix(metadata, groupPrefixOf(notification)),
  }
  const { metadata: _, ...rest } = notification
  return Object.keys(combined).length > 0 ? { ...rest, metadata: combined } : notification
}

/** Adds the address of the object's page, as `console`; an annotation of the object or the Alert's eventMetadata may replace it. */
export const withLink = (notification: Notification, consoleUrl: string | undefined): Notification => {
  if (consoleUrl === undefined) return notification
  const { involvedObject, metadata } = notification
  const link = consoleUrl + objectPath(involvedObject)
  return { ...notification, metadata: { [`${eventPrefix}console`]: link, ...metadata } }
}

const underPrefix = (metadata: Metadata, prefix: string): Metadata =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]),
  )

/** Whether the event only updates a commit status. */
export const isCommitStatusUpdate = (notification: Notification): boolean =>
  notification.metadata?.[`${groupPrefixOf(notification)}commit_status`] === 'update'

/** Whether an annotation of the object names a commit. */
export const namesCommit = ({ metadata }: Notification): boolean => Boolean(metadata?.[`${eventPrefix}commit`])

/** Whether an annotation of the object names a pull or merge request. */
export const namesChangeRequest = ({ metadata }: Notification): boolean =>
  Boolean(metadata?.[`${eventPrefix}change_request`])
