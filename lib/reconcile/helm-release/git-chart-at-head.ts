import type { GitChartAtHead } from '../../foundations/fleet/release-at-head.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type HelmChart, helmChart } from '../../foundations/kinds/helm-chart.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import { chartRefOf } from '../../hub/runners/release-chart.ts'
import { chartOf } from './chart-of-release.ts'

/** A GitRepository whose head was fetched. */
export interface SourceAtHead {
  readonly namespace: string
  readonly name: string
  readonly base: Artifact
  readonly head: Artifact
}

/** The HelmChart of a release if its files come of a source whose head was fetched. */
export const gitChartAtHead = async (
  unit: HelmRelease,
  head: HelmRelease['spec'],
  sources: readonly SourceAtHead[],
  references: Pick<References, 'anywhere'>,
): Promise<GitChartAtHead | undefined> => {
  const { chartRef } = unit.spec
  const own = chartRefOf(unit)
  const place =
    own ?? (chartRef?.kind === 'HelmChart' ? { namespace: unit.metadata.namespace!, ...chartRef } : undefined)
  const now = place && (await references.anywhere<HelmChart>(unit, helmChart, place, everyNamespace))
  if (now?.spec.sourceRef.kind !== 'GitRepository') return undefined
  const source = sources.find(
    ({ namespace, name }) => namespace === now.metadata.namespace && name === now.spec.sourceRef.name,
  )
  if (!source) return undefined
  const spec = own && head.chart ? chartOf({ ...unit, spec: head }, own).spec : now.spec
  return { now, spec: { ...now.spec, ...spec }, base: source.base, head: source.head }
}
