/** Which units a Rollout decides for. */
import type { HelmChart } from '../kinds/helm-chart.ts'
import type { HelmRelease } from '../kinds/helm-release.ts'
import { type Kustomization, sourceNamespaceOf } from '../kinds/kustomization.ts'
import type { Condition, KubernetesObject } from '../kinds/object.ts'
import { pinnedCondition, type Rollout, type RolloutSource, unitKindsOf } from '../kinds/rollout.ts'
import type { PinnedChart } from '../kinds/rollout-run.ts'
import { isSameJson } from '../kinds/schema/same-json.ts'
import { isConditionTrue } from './conditions.ts'
import { pinOf } from './pin.ts'

export interface SourceName {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/**
 * The source from which a unit takes its artifact while no pin says another one; undefined for kinds that take none. For a release with a chart of
 * its own that is the HelmChart which was made for it, if there is one yet.
 */
export const sourceOfUnit = (unit: KubernetesObject): SourceName | undefined => {
  if (unit.kind === 'Kustomization') {
    const kustomization = unit as Kustomization
    const { kind, name } = kustomization.spec.sourceRef
    return { kind, name, namespace: sourceNamespaceOf(kustomization) }
  }
  if (unit.kind !== 'HelmRelease') return undefined
  const { metadata, spec, status } = unit as HelmRelease
  const { chartRef } = spec
  if (chartRef)
    return { kind: chartRef.kind, name: chartRef.name, namespace: chartRef.namespace || (metadata.namespace ?? '') }
  const [namespace = '', name = ''] = (status?.helmChart ?? '').split('/')
  return name === '' ? undefined : { kind: 'HelmChart', namespace, name }
}

export const isSameSource = (one: SourceName, other: SourceName): boolean =>
  one.kind === other.kind && one.namespace === other.namespace && one.name === other.name

/** Whether a change of a source is no news for a unit: a pin says which artifact it takes from that, and the unit has seen the pin. */
export const isHeldFrom = (unit: KubernetesObject, changed: SourceName): boolean => {
  const { conditions } = (unit.status ?? {}) as { readonly conditions?: readonly Condition[] }
  if (pinOf(unit) === undefined || !isConditionTrue(conditions, pinnedCondition)) return false
  const source = sourceOfUnit(unit)
  return source !== undefined && isSameSource(source, changed)
}

/** A source of a Rollout, with its namespace. */
export const placedSource = ({ kind, name, namespace }: RolloutSource, rollout: KubernetesObject): SourceName => ({
  kind,
  name,
  namespace: namespace || (rollout.metadata.namespace ?? ''),
})

/** All sources of a Rollout, each with its namespace. */
export const placedSources = (rollout: Rollout): readonly SourceName[] =>
  rollout.spec.sources.map(source => placedSource(source, rollout))

/** The `spec.chart.spec` of a release with a chart of its own. */
const ownChartOf = (unit: KubernetesObject) =>
  unit.kind === 'HelmRelease' ? (unit as HelmRelease).spec.chart?.spec : undefined

/** Whether it takes the spec of HelmCharts to know what a unit takes from a Rollout. */
export const hasOwnChart = (unit: KubernetesObject): boolean => ownChartOf(unit) !== undefined

/**
 * Of sources, the one whose artifact a unit takes: that which it names, or a HelmChart with the chart that the release has in its own spec. Undefined if
 * there is none.
 */
export const sourceAmong = <T extends SourceName & { readonly chart?: PinnedChart }>(
  sources: readonly T[],
  unit: KubernetesObject,
): T | undefined => {
  const wanted = ownChartOf(unit)
  if (wanted) {
    const namespace = wanted.sourceRef.namespace || unit.metadata.namespace
    return sources.find(one => one.chart && one.namespace === namespace && isSameChart(one.chart, wanted))
  }
  const source = sourceOfUnit(unit)
  return source && sources.find(one => isSameSource(one, source))
}

type OwnChart = NonNullable<ReturnType<typeof ownChartOf>>

/** The same chart of the same source, whose signature is verified as the release demands. */
const isSameChart = (one: PinnedChart, { chart, sourceRef, verify }: OwnChart): boolean =>
  one.chart === chart &&
  one.sourceRef.kind === sourceRef.kind &&
  one.sourceRef.name === sourceRef.name &&
  (!verify || (one.verify?.provider === verify.provider && one.verify?.secretRef?.name === verify.secretRef?.name))

/** Whether a release would make the same artifact of a chart: of the versions that the HelmChart takes, with the same values files. */
const isSameArtifactOf = (
  { version, valuesFiles = [], ignoreMissingValuesFiles = false }: OwnChart,
  made: HelmChart['spec'],
): boolean =>
  (version === undefined || version === '*' || version === made.version) &&
  isSameJson(valuesFiles, made.valuesFiles ?? []) &&
  ignoreMissingValuesFiles === (made.ignoreMissingValuesFiles ?? false)

/** A source of a Rollout with its namespace; a HelmChart with its spec. */
export interface RolledOutSource extends SourceName {
  readonly chart?: HelmChart['spec']
}

/**
 * Whether a Rollout decides which revision a unit takes; `matches` evaluates its selector. A release with a chart of its own joins when that is the
 * chart of one of the sources. With a pin it stays, whatever its chart becomes: HelmCharts and releases do not change at the same moment.
 */
export const isRolledOut = (
  unit: KubernetesObject,
  rollout: Rollout,
  sources: readonly RolledOutSource[],
  matches: (labels: Readonly<Record<string, string>>) => boolean,
): boolean => {
  if (!unitKindsOf(rollout).some(kind => kind === unit.kind) || !matches(unit.metadata.labels ?? {})) return false
  const own = ownChartOf(unit)
  if (own && isPinnedBy(rollout, unit)) return sources.some(({ kind }) => kind === 'HelmChart')
  const source = sourceAmong(sources, unit)
  return source !== undefined && (!own || isSameArtifactOf(own, source.chart!))
}

/** `web-7` is a run of `web`. */
const isPinnedBy = ({ metadata: { namespace, name } }: Rollout, unit: KubernetesObject): boolean => {
  const pin = pinOf(unit)
  return pin !== undefined && pin.namespace === namespace && pin.run.replace(/-\d+$/, '') === name
}
