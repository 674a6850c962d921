import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { isFailure, type Notification } from '../notification.ts'
import { requireAddress, type Send } from './sender.ts'

/**
 * Sends failures as Sentry error events, others as transactions with one span, in an envelope
 * (https://develop.sentry.dev/sdk/data-model/envelopes/). The address is a DSN, the channel the environment. The id is
 * derived from the event: Sentry drops a repeated delivery.
 */
export const sentry: Send = ({ notification, access, http }) => {
  const { origin, path, project, key } = dsnOf(requireAddress(access))
  const id = sha256Hex(JSON.stringify(notification)).slice(0, 32)
  const type = isFailure(notification) ? 'event' : 'transaction'
  const item = JSON.stringify({
    event_id: id,
    platform: 'other',
    ...(access.channel && { environment: access.channel }),
    ...(isFailure(notification) ? errorOf(notification) : transactionOf(notification, id)),
  })
  const header = { event_id: id }
  const itemHeader = { type, length: Buffer.byteLength(item), content_type: 'application/json' }
  return http({
    url: `${origin}${path}/api/${project}/envelope/`,
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=keelson/1, sentry_key=${key}`,
    },
    body: `${JSON.stringify(header)}\n${JSON.stringify(itemHeader)}\n${item}\n`,
  })
}

/** `https://<key>@<host>/<path>/<project>` */
const dsnOf = (address: string) => {
  const { origin, username, pathname, protocol } = new URL(address)
  const [, path = '', project] = /^(.*)\/([^/]+)\/?$/.exec(pathname) ?? []
  if (!username || !project || !protocol.startsWith('http'))
    throw new Error('the address of a provider of type sentry must be a DSN: https://<key>@<host>/<project>')
  return { origin, path, project, key: username }
}

const summaryOf = ({ involvedObject: { kind, namespace, name } }: Notification): string =>
  `${kind}: ${namespace}/${name}`

const errorOf = (notification: Notification) => ({
  level: 'error',
  timestamp: notification.timestamp,
  server_name: notification.reportingController,
  transaction: summaryOf(notification),
  message: notification.message,
  contexts: { metadata: notification.metadata ?? {} },
})

const transactionOf = (notification: Notification, id: string) => {
  const { involvedObject, reportingController, reportingInstance = '', reason, metadata, timestamp } = notification
  const tags = {
    flux_involved_object_kind: involvedObject.kind,
    flux_involved_object_namespace: involvedObject.namespace,
    flux_involved_object_name: involvedObject.name,
    flux_reporting_controller: reportingController,
    flux_reporting_instance: reportingInstance,
    flux_reason: reason,
    ...metadata,
  }
  const trace = { trace_id: sha256Hex(id).slice(0, 32), span_id: id.slice(0, 16), op: 'event' }
  const times = { start_timestamp: timestamp, timestamp }
  return {
    type: 'transaction',
    transaction: summaryOf(notification),
    message: notification.message,
    contexts: { trace },
    tags,
    ...times,
    spans: [{ ...trace, tags, ...times }],
  }
}
