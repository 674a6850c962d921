import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { describeReason, isFailure, isProgress, type Notification, notificationTitle } from '../notification.ts'
import { basic, bearer, requireAddress, type Send } from './sender.ts'

/** Senders for incident management, monitoring and annotations in graphs. */

const nameOf = ({ involvedObject: { kind, name } }: Notification): string => `${kind}/${name}`.toLowerCase()

/** A failure opens an incident for its object; a success resolves it, and is sent as a change event. */
export const pagerduty: Send = async ({ notification, access, http }) => {
  if (isProgress(notification)) return
  const { origin } = new URL(requireAddress(access))
  const { involvedObject, message, metadata, reportingController, timestamp, severity } = notification
  const summary = `${describeReason(notification)}: ${nameOf(notification)}`
  const source = `Flux ${reportingController}`
  const details = { message, metadata }
  const event = { routing_key: access.channel, dedup_key: involvedObject.uid }
  const payload = { summary, source, severity, timestamp, component: involvedObject.name, group: involvedObject.kind }
  await http({
    url: `${origin}/v2/enqueue`,
    json: isFailure(notification)
      ? { ...event, event_action: 'trigger', payload: { ...payload, custom_details: details } }
      : { ...event, event_action: 'resolve' },
  })
  if (isFailure(notification)) return
  await http({
    url: `${origin}/v2/change/enqueue`,
    json: { routing_key: access.channel, payload: { summary, source, timestamp, custom_details: details } },
  })
}

/**
 * An alert. Its alias is the same for an Alert, object and reason, so that Opsgenie counts repetitions instead of
 * opening others.
 */
export const opsgenie: Send = ({ notification, access, http }) => {
  const { kind, namespace, name } = notification.involvedObject
  const key = [access.uid, kind, namespace, name, notification.reason].join('/')
  return http({
    url: requireAddress(access),
    headers: { authorization: `GenieKey ${access.token}` },
    json: {
      message: `${kind}/${name}`,
      alias: sha256Hex(key),
      description: notification.message,
      details: { ...notification.metadata, severity: notification.severity },
    },
  })
}

/** A failure fires an alert for its object; a success resolves it. */
export const incidentIo: Send = async ({ notification, access, http }) => {
  if (isProgress(notification)) return
  const { involvedObject, metadata, message, reason, severity, reportingController } = notification
  await http({
    url: requireAddress(access),
    headers: bearer(access.token),
    json: {
      title: `${notificationTitle(notification)}: ${reason}`,
      status: isFailure(notification) ? 'firing' : 'resolved',
      deduplication_key: involvedObject.uid,
      description: message,
      metadata: { ...metadata, severity, reason, reportingController },
    },
  })
}

/**
 * An alert, whose labels decide on its identity; the metadata `summary` becomes an annotation. It ends after
 * Alertmanager's own timeout.
 */
export const alertmanager: Send = ({ notification, access, http }) => {
  const { involvedObject, metadata = {}, message, reason, severity, reportingController, timestamp } = notification
  const { summary, ...labels } = metadata
  return http({
    url: requireAddress(access),
    headers: access.username && access.password ? basic(access.username, access.password) : bearer(access.token),
    json: [
      {
        status: 'firing',
        labels: {
          ...labels,
          alertname: `Flux${involvedObject.kind}${reason.charAt(0).toUpperCase()}${reason.slice(1).toLowerCase()}`,
          severity,
          reason,
          kind: involvedObject.kind,
          name: involvedObject.name,
          namespace: involvedObject.namespace,
          reportingcontroller: reportingController,
        },
        annotations: { message, ...(summary !== undefined && { summary }) },
        startsAt: timestamp,
        endsAt: '0001-01-01T00:00:00Z', // ends after Alertmanager's resolve_timeout
      },
    ],
  })
}

/** An annotation with tags, at the time of the event. */
export const grafana: Send = ({ notification, access, http }) => {
  const { involvedObject, metadata = {}, reportingController, timestamp } = notification
  const tag = (key: string, value: string): string => `${key.replaceAll(':', '|')}: ${value.replaceAll(':', '|')}`
  const isBasic = access.username && access.password && !access.token
  return http({
    url: requireAddress(access),
    headers: isBasic ? basic(access.username, access.password) : bearer(access.token),
    json: {
      when: Math.floor(Date.parse(timestamp) / 1000),
      text: notificationTitle(notification),
      tags: [
        'flux',
        reportingController,
        ...Object.entries(metadata).map(([key, value]) => tag(key, value)),
        ...(['kind', 'name', 'namespace'] as const).map(key => `${key}: ${involvedObject[key]}`),
      ],
    },
  })
}

/**
 * An event with tags for Datadog's unified service tagging of Kubernetes; the site is that of the address, or the first
 * US one.
 */
export const datadog: Send = ({ notification, access, http }) => {
  const { involvedObject, metadata = {}, message, reason, reportingController, timestamp } = notification
  const { kind, name, namespace } = involvedObject
  const tags = {
    flux_reporting_controller: reportingController,
    flux_reason: reason,
    kube_kind: kind,
    kube_name: name,
    kube_namespace: namespace,
    ...metadata,
  }
  return http({
    url: `${(access.address || 'https://api.datadoghq.com').replace(/\/$/, '')}/api/v1/events`,
    headers: { 'dd-api-key': access.token },
    json: {
      title: `Events from the ${kind} ${name}/${namespace}`,
      text: message,
      tags: Object.entries(tags).map(([key, value]) => `${key}:${value}`.toLowerCase()),
      source_type_name: 'fluxcd',
      date_happened: Math.floor(Date.parse(timestamp) / 1000),
      alert_type: isFailure(notification) ? 'error' : 'info',
    },
  })
}
