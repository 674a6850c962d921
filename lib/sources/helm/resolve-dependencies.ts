import type { ChartDependency } from '../../engines/helm/chart.ts'
import { InvalidConstraint, parseConstraint } from '../../engines/semver/constraint.ts'
import { parseVersion } from '../../engines/semver/version.ts'
import { clampPath } from '../artifact/clamp-path.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import type { ResolveDependencies } from './build-chart.ts'
import { type Chart, loadChart } from './chart.ts'
import { filesInArchive } from './chart-archive.ts'
import { ChartBuildError } from './chart-build-error.ts'
import { filesInFolder } from './chart-folder.ts'
import { ChartNotFound, type ChartRepository, RepositoryError } from './chart-repository.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import { InvalidChart } from './invalid-chart.ts'
import { normalizeUrl } from './repository-url.ts'

/** Opens the repository at a normalized URL, with its credentials. */
export type RepositoryAt = (url: string) => Promise<ChartRepository>

const MAX_DEPENDENCIES = 200

/** A problem with a dependency, in one line. */
class Unresolvable extends Error {}

/**
 * Adds the charts listed in Chart.lock, or else Chart.yaml, that are missing in `charts/`: from the source, or from
 * repositories.
 */
export const dependencyResolver =
  (repositoryAt: RepositoryAt, limits: HelmLimits = helmLimits): ResolveDependencies =>
  async (chart, tree, folder) => {
    const missing = missingOf(chart)
    if (missing.length > MAX_DEPENDENCIES) throw failed(`more than ${MAX_DEPENDENCIES} dependencies are missing`)
    const added: Chart[] = []
    for (const dependency of missing) {
      const isLocal = dependency.repository === '' || dependency.repository.startsWith('file://')
      const name = dependency.alias || dependency.name
      const found = await (isLocal
        ? localChart(dependency, tree, folder, limits)
        : remoteChart(dependency, repositoryAt, limits)
      ).catch(error => {
        if (!isExpected(error)) throw error
        throw failed(`failed to add ${isLocal ? 'local' : 'remote'} dependency '${name}': ${error.message}`, error)
      })
      added.push({ ...found, metadata: { ...found.metadata, name: dependency.alias || found.metadata.name } })
    }
    return { chart: { ...chart, dependencies: [...chart.dependencies, ...added] }, count: added.length }
  }

const failed = (message: string, cause?: unknown) => new ChartBuildError('DependencyBuildError', message, cause)

const isExpected = (error: unknown): error is Error =>
  [Unresolvable, InvalidChart, ChartNotFound, RepositoryError].some(kind => error instanceof kind)

/** As in Flux, equal numbers of charts count as complete. */
const missingOf = ({ metadata, lock, dependencies }: Chart): readonly ChartDependency[] => {
  const wanted = lock?.dependencies ?? metadata.dependencies ?? []
  if (wanted.length === dependencies.length) return []
  const present = new Set(dependencies.map(({ metadata: { name } }) => name))
  const missing = new Map<string, ChartDependency>()
  for (const dependency of wanted) {
    const name = dependency.alias || dependency.name
    if (!present.has(name)) missing.set(name, dependency)
  }
  return [...missing.values()]
}

const localChart = async (
  { name, repository, version = '' }: ChartDependency,
  tree: SourceTree,
  folder: string,
  limits: HelmLimits,
): Promise<Chart> => {
  const reference = repository === '' ? `charts/${name}` : repository.replace(/^file:\/\//, '')
  const path = clampPath(`${folder}/${reference}`)
  const file = tree.get(path)
  const exists = file || tree.keys().some(known => known.startsWith(`${path}/`))
  if (!exists) throw new Unresolvable(`no chart found at '/${path}' (reference '${repository}')`)
  const constraint = constraintOf(version)
  const files = file ? await filesInArchive(file.content, limits) : filesInFolder(tree, path, limits)
  const chart = await loadChart(files, limits).catch(error => {
    if (!(error instanceof InvalidChart)) throw error
    throw new Unresolvable(`failed to load chart from '/${path}' (reference '${repository}'): ${error.message}`)
  })
  if (!constraint.matches(parseVersion(chart.metadata.version))) {
    throw new Unresolvable(`can't get a valid version for constraint '${version}'`)
  }
  return chart
}

const constraintOf = (version: string) => {
  try {
    return parseConstraint(version)
  } catch (error) {
    if (!(error instanceof InvalidConstraint)) throw error
    throw new Unresolvable(`invalid version/constraint format '${version}': ${error.message}`)
  }
}

const remoteChart = async (
  { name, repository, version = '' }: ChartDependency,
  repositoryAt: RepositoryAt,
  limits: HelmLimits,
): Promise<Chart> => {
  requireSupported(repository)
  const charts = await repositoryAt(normalizeUrl(repository))
  const found = await charts.find(name, version).catch(error => {
    if (!isExpected(error)) throw error
    throw new Unresolvable(`failed to get chart '${name}' version '${version}' from '${repository}': ${error.message}`)
  })
  const content = await charts.download(found).catch(error => {
    if (!isExpected(error)) throw error
    throw new Unresolvable(`chart download of version '${found.version}' failed: ${error.message}`)
  })
  return loadChart(await filesInArchive(content, limits), limits)
}

const requireSupported = (repository: string): void => {
  if (/^(https?|oci):\/\//.test(repository)) return
  const problem = repository.startsWith('@')
    ? 'aliased repository dependency is not supported'
    : 'invalid dependency repository URL'
  throw new Unresolvable(`${problem}: ${repository.replace(/\/+$/, '')}/`)
}
