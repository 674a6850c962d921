import { AsyncLocalStorage } from 'node:async_hooks'
import { Logger } from '@aws-lambda-powertools/logger'
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import type { Log, LogFields } from '../../platform/ports/log.ts'
import type { FinishedPass } from '../../reconcile/runtime/loop.ts'
import type { FinishedVisit } from '../../reconcile/runtime/visits.ts'
import { resourceLabels } from '../../signals/metrics/resource-info.ts'

export interface Observability {
  readonly log: Log
  /** Emits metrics of a finished pass. */
  observe(pass: FinishedPass): void
  /** Emits metrics of a visit's dry runs, one line for several objects of a kind. */
  observeVisit(visit: FinishedVisit): void
  /** Emits a metric of a webhook's call. */
  observeWebhook(result: string): void
  /** Adds fields to every line that is logged during the work. */
  within<T>(fields: LogFields, work: () => Promise<T>): Promise<T>
  readonly logger: Logger
}

/**
 * Structured logs and metrics in the format that CloudWatch reads from a function's output. Metrics have Flux's names, but few dimensions,
 * as CloudWatch charges for each combination. The object's name is in the metric's line, for Logs Insights.
 */
export const observability = (hubName: string): Observability => {
  const logger = new Logger({ serviceName: hubName })
  const metrics = new Metrics({ namespace: 'Keelson', serviceName: hubName })
  const current = new AsyncLocalStorage<LogFields>()
  /** `message` is the line's own; the message of a pass's condition has another field name. */
  const fieldsOf = ({ message, ...fields }: LogFields) => ({
    ...current.getStore(),
    ...fields,
    ...(message !== undefined && { conditionMessage: message }),
  })

  /** Of all clusters together, for the alarm. */
  const countCredentials = (count: number): void => {
    if (count === 0) return
    metrics.addMetric(expiringCredentials, MetricUnit.Count, count)
    metrics.publishStoredMetrics()
  }

  return {
    logger,
    log: {
      info: (message, fields = {}) => logger.info(message, fieldsOf(fields)),
      error: (message, { error, ...fields } = {}) =>
        logger.error(message, { ...fieldsOf(fields), ...(error !== undefined && { error: describe(error) }) }),
    },
    observe: ({ ref, object, outcome, reason, durationMs, used }) => {
      const { labels, isDrifted, artifactBytes, credentialExpires, needsCredential } = resourceLabels(object)
      metrics.addDimensions({ kind: ref.kind, result: outcome })
      metrics.addMetadata('name', ref.name)
      metrics.addMetadata('exported_namespace', ref.namespace)
      if (reason) metrics.addMetadata('reason', reason)
      // No dimensions of a metric: CloudWatch bills each combination, and there is one for each namespace and cluster.
      metrics.addMetadata('cluster', used.cluster)
      for (const field of ['requests', 'bytes', 'readUnits', 'writeUnits'] as const)
        if (used.usage[field] > 0) metrics.addMetadata(field, String(Math.round(used.usage[field] * 10) / 10))
      metrics.addMetric('gotk_reconcile_duration_seconds', MetricUnit.Seconds, durationMs / 1000)
      metrics.addMetric('controller_runtime_reconcile_total', MetricUnit.Count, 1)
      for (const label of ['ready', 'suspended', 'revision', 'resources'] as const)
        metrics.addMetadata(label, labels[label])
      if (outcome !== 'deleted') metrics.addMetric(infoNames[ref.kind] ?? 'gotk_resource_info', MetricUnit.Count, 1)
      if (isDrifted) metrics.addMetric('keelson_drifted', MetricUnit.Count, 1)
      if (artifactBytes !== undefined) metrics.addMetric('gotk_artifact_size_bytes', MetricUnit.Bytes, artifactBytes)
      if (credentialExpires !== undefined)
        metrics.addMetric('keelson_cluster_credential_expiry_timestamp_seconds', MetricUnit.Seconds, credentialExpires)
      metrics.publishStoredMetrics()
      if (needsCredential) countCredentials(1)
    },
    observeVisit: ({ group, unchanged }) => {
      countCredentials(unchanged.filter(({ object }) => resourceLabels(object).needsCredential).length)
      for (const [kind, ofKind] of Map.groupBy(unchanged, ({ ref }) => ref.kind))
        for (let at = 0; at < ofKind.length; at += valuesAtOnce) {
          metrics.addDimensions({ kind, result: 'done' })
          metrics.addMetadata('group', group)
          for (const { durationMs } of ofKind.slice(at, at + valuesAtOnce)) {
            metrics.addMetric('gotk_reconcile_duration_seconds', MetricUnit.Seconds, Math.round(durationMs) / 1000)
            metrics.addMetric('controller_runtime_reconcile_total', MetricUnit.Count, 1)
          }
          metrics.publishStoredMetrics()
        }
    },
    observeWebhook: result => {
      metrics.addDimensions({ result })
      metrics.addMetric('keelson_webhook_requests_total', MetricUnit.Count, 1)
      metrics.publishStoredMetrics()
    },
    within: (fields, work) => current.run(fieldsOf(fields), work),
  }
}

/** Probes that have found a credential which must be replaced. Its only dimension is the hub. */
const expiringCredentials = 'keelson_cluster_credentials_expiring'

/** Maximum number of values per metric and line in CloudWatch. */
const valuesAtOnce = 50

/** Kinds whose state has a metric other than `gotk_resource_info`. */
const infoNames: Readonly<Record<string, string>> = {
  ResourceSet: 'flux_resourceset_info',
  ResourceSetInputProvider: 'flux_resourcesetinputprovider_info',
}

/** The message with its causes; the stack only for bugs, by class of the error. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const text = bugs.some(bug => error instanceof bug) ? (error.stack ?? error.message) : error.message
  return error.cause === undefined ? text : `${text}: ${describe(error.cause)}`
}

const bugs = [TypeError, RangeError, ReferenceError, SyntaxError]
