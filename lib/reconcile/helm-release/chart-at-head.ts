import type { Chart as ChartTree } from '../../engines/helm/chart.ts'
import type { GitChartAtHead } from '../../foundations/fleet/release-at-head.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { artifactOf } from '../../foundations/kinds/artifact.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { clampPath } from '../../sources/artifact/clamp-path.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { buildLocalChart, effectiveValuesFiles, type ResolveDependencies } from '../../sources/helm/build-chart.ts'
import { type Chart, loadChart } from '../../sources/helm/chart.ts'
import { filesInArchive } from '../../sources/helm/chart-archive.ts'
import type { HelmLimits } from '../../sources/helm/helm-limits.ts'
import { dependencyResolver } from '../../sources/helm/resolve-dependencies.ts'
import { versionMetadataOf } from '../helm-chart/version-metadata.ts'

/** With what `now` has packaged. */
interface ChartAtHead extends GitChartAtHead {
  readonly chart: Chart
}

/** `kept`: its source would not package it again, as its version is the same; `hasChanges` if its files are not. */
export type BuiltAtHead =
  | { readonly type: 'kept'; readonly hasChanges: boolean }
  | { readonly type: 'built'; readonly chart: Chart }
  | { readonly type: 'unfetched'; readonly dependency: string }

/**
 * Packages a chart at a head as source-controller would after the merge. Fetches nothing: dependencies are those of the head's files, or those that the
 * present chart has. Fails with ChartBuildError.
 */
export const buildChartAtHead = async (
  { now, spec, chart, base, head }: ChartAtHead,
  readTree: (artifact: Artifact) => Promise<SourceTree>,
  limits: HelmLimits,
): Promise<BuiltAtHead> => {
  const { generation = 1, ...metadata } = now.metadata
  const isChanged = !isSameJson(now.spec, spec)
  const next: HelmChart = {
    ...now,
    metadata: { ...metadata, generation: isChanged ? generation + 1 : generation },
    spec,
  }
  const { valuesFiles = [], ignoreMissingValuesFiles = false } = spec
  const stored = artifactOf(now)
  const { observedChartName: name, observedValuesFiles } = now.status ?? {}
  const current = stored &&
    name !== undefined &&
    !isChanged && { name, version: stored.revision, ...(observedValuesFiles && { valuesFiles: observedValuesFiles }) }
  const tree = await readTree(head)
  const unfetched: string[] = []
  const options = {
    ...{ valuesFiles, ignoreMissingValuesFiles, limits, versionMetadata: versionMetadataOf(next, head) },
    ...(current && { current }),
  }
  const build = () => buildLocalChart(tree, spec.chart, options, dependenciesOf(chart, limits, unfetched))
  const { archive } = await build().catch(error => {
    if (unfetched.length === 0) throw error
    return { archive: undefined }
  })
  if (unfetched.length > 0) return { type: 'unfetched', dependency: unfetched[0]! }
  if (!archive) return { type: 'kept', hasChanges: !areSame(await readTree(base), tree, pathsOf(spec)) }
  return { type: 'built', chart: await loadChart(await filesInArchive(archive.content, limits), limits) }
}

/** The charts that the present one has, of the same repositories and versions, and those of the head's own files. */
const dependenciesOf =
  (present: Chart, limits: HelmLimits, unfetched: string[]): ResolveDependencies =>
  (chart, tree, folder) => {
    const before = new Set(declared(present).map(dependency => JSON.stringify(dependency)))
    const own = new Set(chart.dependencies.map(({ metadata }) => metadata.name))
    const known = declared(chart)
      .filter(({ name, ...rest }) => !own.has(name) && before.has(JSON.stringify({ name, ...rest })))
      .flatMap(({ name }) => (present as ChartTree).dependencies.filter(({ metadata }) => metadata.name === name))
    const repositoryAt = async (url: string): Promise<never> => {
      unfetched.push(url)
      throw new Error('a dependency that the base does not have is only fetched after the merge')
    }
    const whole = { ...chart, dependencies: [...chart.dependencies, ...(known as Chart[])] }
    return dependencyResolver(repositoryAt, limits)(whole, tree, folder)
  }

/** What decides which chart a dependency is. */
const declared = ({ lock, metadata }: Chart) =>
  (lock?.dependencies ?? metadata.dependencies ?? [])
    .filter(({ repository }) => /^(https?|oci):/.test(repository))
    .map(({ name, alias, version = '', repository }) => ({ name: alias || name, version, repository }))

/** What a chart is made of: its folder or archive, and files with values. */
const pathsOf = ({ chart, valuesFiles = [] }: HelmChart['spec']): readonly string[] =>
  [chart, ...effectiveValuesFiles(valuesFiles)].map(clampPath)

const areSame = (one: SourceTree, other: SourceTree, paths: readonly string[]): boolean => {
  const isOf = (name: string) => paths.some(path => path === '' || name === path || name.startsWith(`${path}/`))
  const names = new Set([...one.keys(), ...other.keys()].filter(isOf))
  return names.values().every(name => {
    const [a, b] = [one.get(name)?.content, other.get(name)?.content]
    return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0
  })
}
