import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { isFailure, type Metadata } from '../notification.ts'
import { basic, bearer, requireAddress, type Send } from './sender.ts'

/**
 * Sends the event as a span to an OpenTelemetry collector (OTLP over HTTP, https://opentelemetry.io/docs/specs/otlp/).
 * All events of one revision through one Alert form one trace. Ids are derived from the event, so that a repeated
 * delivery is the same span.
 */
export const otel: Send = async ({ notification, access, alert, http }) => {
  const { involvedObject, metadata = {}, message, timestamp, reason } = notification
  const { kind, namespace, name, uid = '' } = involvedObject
  if (kind === 'HelmRepository') return // an index of charts, which is not deployed itself
  const { uid: alertUid = '', namespace: alertNamespace = '', name: alertName } = alert.metadata
  const nanoseconds = `${Date.parse(timestamp)}000000`
  const span = {
    traceId: sha256Hex(`${alertUid}:${revisionIn(metadata)}`).slice(0, 32),
    spanId: sha256Hex(JSON.stringify([alertUid, kind, namespace, name, reason, message, timestamp])).slice(0, 16),
    name: `${kind}: ${namespace}/${name}`,
    kind: 1, // internal
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes: attributes({
      'object.uid': uid,
      'object.kind': kind,
      'object.name': name,
      'object.namespace': namespace,
      ...metadata,
    }),
    status: isFailure(notification) ? { code: 2, message } : { code: 1 },
  }
  const resource = {
    attributes: attributes({
      'service.name': `${alertNamespace}/${alertName}`,
      'service.namespace': alertNamespace,
      'service.instance.id': alertUid,
    }),
  }
  const { username, password, token } = access
  const secret = token || password
  const isProven = Object.keys(access.headers).some(name => name.toLowerCase() === 'authorization')
  await http({
    url: withPath(requireAddress(access)),
    headers: { ...(!isProven && (username && secret ? basic(username, secret) : bearer(secret))), ...access.headers },
    json: {
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'flux:notification-controller' }, spans: [span] }] }],
    },
  })
}

/** The default path of collectors. */
const withPath = (address: string): string => (/^\w+:\/\/[^/]+$/.test(address) ? `${address}/v1/traces` : address)

const revisionIn = (metadata: Metadata): string => {
  const { 'oci-digest': digest, 'app-version': version, revision } = metadata
  return digest !== undefined && version !== undefined ? `${version}@${digest}` : (revision ?? 'unknown')
}

const attributes = (values: Metadata) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }))
