/** The limits of PutLogEvents of CloudWatch Logs (its API reference, 2026-11). */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { AuditEvent } from '../../hub/apiserver/audit/audit-event.ts'

/** An event as PutLogEvents takes it. */
export interface LogEvent {
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly message: string
}

const maxBatchBytes = 1_048_576
const maxBatchEvents = 10_000
/** Counted for each event beside its message in UTF-8. */
const overheadBytes = 26
const maxMessageBytes = maxBatchBytes - overheadBytes

const bytesOf = ({ message }: LogEvent): number => Buffer.byteLength(message) + overheadBytes

/**
 * An event as JSON. One that is too large goes without the bodies of request and response, then without what else a client chose, with the
 * annotation that kube-apiserver gives such events.
 */
export const logEventOf = (event: AuditEvent): LogEvent => {
  const timestamp = Date.parse(event.stageTimestamp)
  const { requestObject: _, responseObject: __, ...bare } = event
  const annotations = { ...event.annotations, 'audit.k8s.io/truncated': 'true' }
  const { kind, apiVersion, level, auditID, stage, verb, user, requestReceivedTimestamp, stageTimestamp } = event
  const core = { kind, apiVersion, level, auditID, stage, verb, user, requestReceivedTimestamp, stageTimestamp }
  const versions = [event, { ...bare, annotations }, { ...core, annotations: { 'audit.k8s.io/truncated': 'true' } }]
  const messages = versions.map(version => JSON.stringify(version))
  return { timestamp, message: messages.find(text => Buffer.byteLength(text) <= maxMessageBytes) ?? messages.at(-1)! }
}

/** How many of the events, from the first, fit into one request. At least one. */
export const nextBatch = (events: readonly LogEvent[]): number => {
  let bytes = 0
  for (const [at, event] of events.entries()) {
    bytes += bytesOf(event)
    if (at > 0 && (bytes > maxBatchBytes || at === maxBatchEvents)) return at
  }
  return events.length
}

/** Which events of a request were not stored, by their places in it: those too old, expired, or too far in the future. */
export const rejectedIn = ({ rejectedLogEventsInfo: info }: JsonObject): ((at: number) => boolean) => {
  if (!isObject(info)) return () => false
  const numberAt = (name: string, otherwise: number): number => {
    const value = info[name]
    return typeof value === 'number' ? value : otherwise
  }
  const from = Math.max(numberAt('tooOldLogEventEndIndex', 0), numberAt('expiredLogEventEndIndex', 0))
  const to = numberAt('tooNewLogEventStartIndex', Number.POSITIVE_INFINITY)
  return at => at < from || at >= to
}
