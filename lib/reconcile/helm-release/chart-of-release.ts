import { durationMs, formatDuration } from '../../foundations/kinds/duration.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { helmGroup, sourceGroup } from '../../foundations/kinds/references.ts'
import { namespaceOf } from './names.ts'

export const helmChartApiVersion = `${sourceGroup}/v1`

/** The HelmChart in `spec.chart` of a release that has one. */
export const chartOf = (
  release: HelmRelease,
  { namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>,
): HelmChart => {
  const { metadata, spec } = release.spec.chart!
  const { sourceRef, verify, interval = release.spec.interval, ...rest } = spec
  const owner = {
    [`${helmGroup}/name`]: release.metadata.name,
    [`${helmGroup}/namespace`]: namespaceOf(release),
  }
  return {
    apiVersion: helmChartApiVersion,
    kind: 'HelmChart',
    metadata: {
      namespace,
      name,
      labels: { ...metadata?.labels, ...owner },
      ...(metadata?.annotations && { annotations: metadata.annotations }),
    },
    spec: {
      ...rest,
      interval: formatDuration(durationMs(interval)), // in Go's format
      sourceRef: { kind: sourceRef.kind, name: sourceRef.name },
      ...(verify && {
        verify: { provider: verify.provider, ...(verify.secretRef && { secretRef: verify.secretRef }) },
      }),
    },
  }
}
