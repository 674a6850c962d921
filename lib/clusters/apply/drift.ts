import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'

/** Whether a dry-run's result differs from the live object in labels, annotations, or anything but metadata and status. */
export const hasDrifted = (live: KubernetesObject, dryRun: KubernetesObject): boolean =>
  !isSameJson(live.metadata.labels ?? {}, dryRun.metadata.labels ?? {}) ||
  !isSameJson(live.metadata.annotations ?? {}, dryRun.metadata.annotations ?? {}) ||
  !isSameJson(contentOf(live), contentOf(dryRun))

/** The part of an object that is compared. */
export const contentOf = ({ metadata, status, ...content }: KubernetesObject): Readonly<Record<string, unknown>> =>
  content.kind === 'HorizontalPodAutoscaler' ? withoutRepeatedMetrics(content) : content

/** Before Kubernetes 1.27 a dry-run repeats the first metric of an HPA and adds an empty one (kubernetes/kubernetes#118293). */
const withoutRepeatedMetrics = (autoscaler: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const spec = autoscaler.spec as { readonly metrics?: readonly { readonly type?: string }[] } | undefined
  if (!Array.isArray(spec?.metrics)) return autoscaler
  const metrics = spec.metrics.filter(
    (metric, index, all) => metric.type && all.findIndex(other => isSameJson(metric, other)) === index,
  )
  return { ...autoscaler, spec: { ...spec, metrics } }
}
