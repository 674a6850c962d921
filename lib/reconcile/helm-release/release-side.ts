import { valuesDigest } from '../../engines/helm/release-values.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { References } from '../../hub/references/references.ts'
import type { Chart } from '../../sources/helm/chart.ts'
import { composeValues } from './compose-values.ts'
import type { Draft } from './draft.ts'
import { digests } from './summarize.ts'

/** A release as the repository has it on one side of a pull request. */
export interface Side {
  readonly release: HelmRelease
  readonly chart: Chart
  readonly values: ValueMap
}

/**
 * A side: the unit with the spec, chart and ConfigMaps of that side. Values from Secrets are left out, since a plan is
 * shown to readers of the repository.
 */
export const sideOf = async (
  unit: HelmRelease,
  spec: HelmRelease['spec'],
  chart: Chart,
  configMaps: readonly KubernetesObject[],
  references: References,
): Promise<Side> => {
  const release = { ...unit, spec }
  const valuesFrom = (spec.valuesFrom ?? []).filter(({ kind }) => kind !== 'Secret')
  const open = { ...release, spec: { ...spec, valuesFrom } }
  return { release, chart, values: await composeValues(open, withConfigMaps(references, configMaps)) }
}

/** The same references, with these ConfigMaps in the place of those on the hub. */
const withConfigMaps = (references: References, configMaps: readonly KubernetesObject[]): References => ({
  ...references,
  local: async <T extends KubernetesObject>(...[referrer, kind, name]: Parameters<References['local']>) => {
    const given = configMaps.find(
      ({ metadata }) => metadata.name === name && metadata.namespace === referrer.metadata.namespace,
    )
    return kind.kind === 'ConfigMap' && given ? (given as T) : references.local<T>(referrer, kind, name)
  },
})

export const isSameSide = (one: Side, other: Side): boolean =>
  valuesDigest(one.values) === valuesDigest(other.values) && isSameJson(digests(one.release), digests(other.release))

/** Such a chart is not upgraded, but uninstalled and installed (HR-038). */
export const replacesChart = ({ status }: HelmRelease, { chart, release }: Side): boolean => {
  const [current] = status?.history ?? []
  const isInPlace = release.spec.upgrade?.chartNameChangeStrategy === 'InPlaceUpdate'
  return current !== undefined && current.chartName !== chart.metadata.name && !isInPlace
}

/**
 * The side with the metadata that the release has on its cluster, from which the names and labels of its objects
 * follow.
 */
export const placed = ({ release, ...rest }: Side, { onCluster }: Draft): Side => ({
  ...rest,
  release: { ...release, metadata: onCluster.metadata },
})
