import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Usage, UsageOf } from '../../foundations/rules/usage.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Stage } from '../../platform/ports/queue.ts'
import { infoLabels, operatorLabels, resourceInfo } from './resource-info.ts'

/** A finished pass. */
export interface ObservedPass {
  readonly ref: ObjectRef
  readonly outcome: string
  readonly durationMs: number
}

export type Used = Pick<UsageOf, 'namespace' | 'cluster'> & { readonly usage: Usage }

export interface MetricsPorts {
  readonly hub: Pick<Hub, 'list'>
  /** The kinds whose objects have metrics. */
  readonly kinds: () => readonly Kind[]
  /** Messages in the queue of each stage; absent if the platform counts them itself. */
  readonly waiting?: () => Readonly<Partial<Record<Stage, number>>>
}

/** Prometheus metrics, under the names that Flux's dashboards use. */
export interface Metrics {
  observe(pass: ObservedPass): void
  /** Counts a call of a webhook. */
  observeWebhook(result: string): void
  /** Counts what was used for a namespace and a cluster. */
  observeUsage(used: Used): void
  /** In Prometheus' text format. Each call reads the state of all objects. */
  text(): Promise<string>
  readonly contentType: string
}

/** Seconds: from a pass over an unchanged object to one that waits for a slow cluster. */
const buckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800]

const only = (labels: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [name, labels[name]!]))

/**
 * The metrics of one process, which start at zero with it. What gauges say of objects is read from the hub when they
 * are scraped.
 */
export const createMetrics = ({ hub, kinds, waiting }: MetricsPorts): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const objectLabels = ['kind', 'name', 'namespace'] as const

  const duration = new Histogram({
    name: 'gotk_reconcile_duration_seconds',
    help: 'How long passes over an object took.',
    labelNames: objectLabels,
    buckets,
    registers,
  })
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Passes by kind and how they ended.',
    labelNames: ['controller', 'result'],
    registers,
  })
  const info = new Gauge({
    name: 'gotk_resource_info',
    help: 'The state of each object of Flux; the value is 1.',
    labelNames: ['customresource_group', 'customresource_version', 'customresource_kind', ...infoLabels],
    registers,
  })
  const operatorInfo = (of: keyof typeof operatorLabels) =>
    new Gauge({
      name: `flux_${of.toLowerCase()}_info`,
      help: `The state of each ${of}; the value is 1.`,
      labelNames: ['kind', ...operatorLabels[of]],
      registers,
    })
  const operatorInfos = {
    ResourceSet: operatorInfo('ResourceSet'),
    ResourceSetInputProvider: operatorInfo('ResourceSetInputProvider'),
  }
  const isOperatorKind = (kind: string): kind is keyof typeof operatorInfos => Object.hasOwn(operatorInfos, kind)
  const artifacts = new Gauge({
    name: 'gotk_artifact_size_bytes',
    help: 'Bytes of the artifact of a source.',
    labelNames: objectLabels,
    registers,
  })
  const drifted = new Gauge({
    name: 'keelson_drifted',
    help: 'Objects whose cluster differs from what they have applied, which they report; the value is 1.',
    labelNames: objectLabels,
    registers,
  })
  const expiry = new Gauge({
    name: 'keelson_cluster_credential_expiry_timestamp_seconds',
    help: 'When the credential of a Cluster expires, in seconds since the epoch.',
    labelNames: ['name', 'namespace'],
    registers,
  })
  const usageCounter = (name: string, help: string) =>
    new Counter({ name: `keelson_usage_${name}_total`, help, labelNames: ['namespace', 'cluster'], registers })
  const usage = {
    passes: usageCounter('passes', 'Passes, and checks of units at rest, by namespace and cluster.'),
    ms: usageCounter('seconds', 'How long they took.'),
    requests: usageCounter('requests', 'Requests to clusters other than the hub.'),
    bytes: usageCounter('bytes', 'Bytes of the bodies of those requests and responses.'),
  }
  const depth = new Gauge({
    name: 'keelson_queue_depth',
    help: 'Messages waiting in the queue of a stage.',
    labelNames: ['stage'],
    registers,
  })

  const webhooks = new Counter({
    name: 'keelson_webhook_requests_total',
    help: 'Calls of webhooks by their result; NotFound if there is no Receiver at the path.',
    labelNames: ['result'],
    registers,
  })

  const collect = async (): Promise<void> => {
    for (const gauge of [info, artifacts, drifted, expiry, depth, ...Object.values(operatorInfos)]) gauge.reset()
    for (const [stage, count] of Object.entries(waiting?.() ?? {})) depth.set({ stage }, count)
    const namespaces = new Set<string>()
    for await (const found of resourceInfo(hub, kinds())) {
      const { group, version, kind, labels, isDrifted, artifactBytes, credentialExpires } = found
      if (group === operatorGroup && isOperatorKind(kind))
        operatorInfos[kind].set({ kind, ...only(labels, operatorLabels[kind]) }, 1)
      else
        info.set(
          {
            customresource_group: group,
            customresource_version: version,
            customresource_kind: kind,
            ...only(labels, infoLabels),
            suspended: labels.suspended.toLowerCase(), // kube-state-metrics' format of a flag: dashboards query `true`
          },
          1,
        )
      const { name, exported_namespace: namespace } = labels
      namespaces.add(namespace)
      if (isDrifted) drifted.set({ kind, name, namespace }, 1)
      if (artifactBytes !== undefined) artifacts.set({ kind, name, namespace }, artifactBytes)
      if (credentialExpires !== undefined) expiry.set({ name, namespace }, credentialExpires)
    }
    for (const counter of Object.values(usage))
      for (const { labels } of (await counter.get()).values)
        if (!namespaces.has(String(labels.namespace))) counter.remove(labels)
  }
  let inFlight: Promise<string> | undefined

  return {
    contentType: registry.contentType,
    observe: ({ ref: { kind, name, namespace }, outcome, durationMs }) => {
      if (outcome === 'deleted') duration.remove({ kind, name, namespace })
      else duration.observe({ kind, name, namespace }, durationMs / 1000)
      total.inc({
        controller: kind.toLowerCase(),
        result: outcome === 'failed' || outcome === 'stalled' ? 'error' : 'success',
      })
    },
    observeWebhook: result => webhooks.inc({ result }),
    observeUsage: ({ namespace, cluster, usage: used }) => {
      const labels = { namespace, cluster }
      usage.passes.inc(labels, used.passes)
      usage.ms.inc(labels, used.ms / 1000)
      usage.requests.inc(labels, used.requests)
      usage.bytes.inc(labels, used.bytes)
    },
    // Concurrent calls share one result: collecting reads every object, and fills shared gauges.
    text: () => {
      inFlight ??= collect()
        .then(() => registry.metrics())
        .finally(() => {
          inFlight = undefined
        })
      return inFlight
    },
  }
}
