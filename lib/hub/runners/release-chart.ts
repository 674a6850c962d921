import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { helmGroup, sourceGroup } from '../../foundations/kinds/references.ts'

/** The HelmCharts in `spec.chart` of HelmReleases that runners reconcile: only the hub writes them. */
export interface ReleaseCharts {
  /** Applies the HelmChart that a release wants; returns it. */
  apply(release: HelmRelease, ref: ObjectRef, dryRun: boolean): Promise<KubernetesObject>
  /** Deletes a HelmChart, if it was made for this release. */
  remove(release: HelmRelease, place: Pick<ObjectRef, 'namespace' | 'name'>): Promise<void>
}

/** The HelmChart that a unit wants; undefined if it wants none. */
export const chartRefOf = (unit: KubernetesObject): ObjectRef | undefined => {
  const { chart } = (unit.spec ?? {}) as Partial<HelmRelease['spec']>
  if (unit.kind !== 'HelmRelease' || !chart) return undefined
  const { namespace: own = '', name } = unit.metadata
  return {
    group: sourceGroup,
    kind: 'HelmChart',
    namespace: chart.spec.sourceRef.namespace || own,
    name: `${own}-${name}`,
  }
}

/** Whether a HelmChart was made for this release: others may have written its status. */
export const isChartOf = ({ kind, metadata }: KubernetesObject, chart: KubernetesObject): boolean =>
  kind === 'HelmRelease' &&
  chart.kind === 'HelmChart' &&
  chart.metadata.labels?.[`${helmGroup}/name`] === metadata.name &&
  chart.metadata.labels?.[`${helmGroup}/namespace`] === metadata.namespace
