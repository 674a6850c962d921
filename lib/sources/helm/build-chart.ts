import { parseVersion } from '../../engines/semver/version.ts'
import type { JsonObject } from '../../engines/yaml/json-value.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { clampPath } from '../artifact/clamp-path.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import { NotVerified } from '../verify/not-verified.ts'
import { type Chart, loadChart, readValues } from './chart.ts'
import { filesInArchive } from './chart-archive.ts'
import { type BuildReason, ChartBuildError } from './chart-build-error.ts'
import { filesInFolder } from './chart-folder.ts'
import { parseMetadata, validateMetadata } from './chart-metadata.ts'
import { ChartNotFound, type ChartRepository, RepositoryError } from './chart-repository.ts'
import type { HelmLimits } from './helm-limits.ts'
import { InvalidChart } from './invalid-chart.ts'
import { mergeValues, replaceValues } from './merge-values.ts'
import { packageChart } from './package-chart.ts'

export interface BuildOptions {
  readonly valuesFiles: readonly string[]
  readonly ignoreMissingValuesFiles: boolean
  readonly limits: HelmLimits
  /** Build metadata for the version; '' for none. */
  readonly versionMetadata: string
  /** The stored chart: if the build would produce the same one, nothing is built. Absent to force a build. */
  readonly current?: { readonly name: string; readonly version: string; readonly valuesFiles?: readonly string[] }
  /** Called before work that an unchanged chart doesn't need. */
  readonly onChanged?: () => void
}

export interface ChartBuild {
  readonly name: string
  readonly version: string
  readonly valuesFiles: readonly string[]
  /** Whether the chart was repackaged, instead of stored as downloaded. */
  readonly packaged: boolean
  readonly resolvedDependencies: number
  /** Whether signatures were required and verified. */
  readonly isVerified?: boolean
  /** Absent if the stored chart is current. */
  readonly archive?: { readonly content: Buffer; readonly digest: string }
}

/** `pulled 'app' chart with version '1.0.0'`. */
export const chartBuildSummary = ({ name, version, packaged, valuesFiles }: ChartBuild): string => {
  const merged = valuesFiles.length > 0 ? ` and merged values files [${valuesFiles.join(' ')}]` : ''
  return `${packaged ? 'packaged' : 'pulled'} '${name}' chart with version '${version}'${merged}`
}

const fail = (reason: BuildReason, error: unknown, what = ''): ChartBuildError => {
  const message = errorMessage(error)
  return new ChartBuildError(reason, what ? `${what}: ${message}` : message, error)
}

/** A chart's own values.yaml as the only file changes nothing. */
export const effectiveValuesFiles = (files: readonly string[]): readonly string[] =>
  files.length === 1 && clampPath(files[0]!) === 'values.yaml' ? [] : files

/** Pulls a chart from a repository, and repackages it if values files are merged. Fails with ChartBuildError. */
export const buildRemoteChart = async (
  repository: ChartRepository,
  reference: { readonly name: string; readonly version: string },
  options: BuildOptions,
  verifies: boolean,
): Promise<ChartBuild> => {
  requireName(reference.name)
  const found = await repository.find(reference.name, reference.version).catch(error => {
    const reason =
      error instanceof ChartNotFound
        ? 'InvalidChartReference'
        : error instanceof RepositoryError
          ? 'ChartPullError'
          : undefined
    throw reason ? fail(reason, error, 'failed to get chart version for remote reference') : error
  })
  const isVerified = verifies && (await repository.verify(found).catch(notVerified))
  const valuesFiles = effectiveValuesFiles(options.valuesFiles)
  const version = withMetadata(found.version, options.versionMetadata)
  const requiresPackaging = valuesFiles.length > 0 || options.versionMetadata !== ''
  const kept = unchanged({ name: found.name, version }, options, requiresPackaging)
  if (kept) return { ...kept, isVerified }
  const downloaded = await repository.download(found).catch(error => {
    throw fail('ChartPullError', error, 'failed to download chart for remote reference')
  })
  if (!requiresPackaging)
    return { ...pulled(await metadataIn(downloaded, options.limits), version, downloaded), isVerified }
  const chart = await loadArchive(downloaded, 'failed to load downloaded chart', options.limits)
  const { values, used } = mergeChartValues(chart, options)
  return { ...(await packed({ ...chart, metadata: { ...chart.metadata, version } }, values, used, 0)), isVerified }
}

const requireName = (name: string): void => {
  if (name === '') throw new ChartBuildError('InvalidChartReference', 'no name set for remote chart reference')
  const isName = !/[^-a-z0-9/.]/.test(name) && !/^[/.]|\/\/|\.\.|\.\//.test(name)
  if (isName) return
  throw new ChartBuildError(
    'InvalidChartReference',
    `invalid chart name '${name}': a valid name must be lower case letters and numbers and MAY be separated with dashes (-), slashes (/) or periods (.)`,
  )
}

const notVerified = (error: unknown): never => {
  throw error instanceof NotVerified || error instanceof RepositoryError ? fail('ChartVerificationError', error) : error
}

const withMetadata = (version: string, metadata: string): string => {
  if (metadata === '') return version
  try {
    const { major, minor, patch, prerelease } = parseVersion(version)
    return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}+${metadata}`
  } catch (error) {
    throw fail('MetadataPatchError', error, 'failed to parse version from chart metadata as SemVer')
  }
}

const unchanged = (
  { name, version }: { readonly name: string; readonly version: string },
  { current, valuesFiles, onChanged }: BuildOptions,
  packaged: boolean,
): ChartBuild | undefined => {
  if (current?.name !== name || current.version !== version) return void onChanged?.()
  const used = current.valuesFiles ?? effectiveValuesFiles(valuesFiles)
  return { name, version, packaged, valuesFiles: used, resolvedDependencies: 0 }
}

const metadataIn = async (archive: Buffer, limits: HelmLimits) => {
  try {
    const files = await filesInArchive(archive, limits)
    const find = (name: string) => files.find(file => file.name === name)?.data
    const chartYaml = find('Chart.yaml')
    if (!chartYaml) throw new InvalidChart("no 'Chart.yaml' found")
    const metadata = parseMetadata([chartYaml], find('requirements.yaml'))
    validateMetadata(metadata)
    return metadata
  } catch (error) {
    throw error instanceof InvalidChart
      ? fail('ChartPullError', error, 'failed to load chart metadata from written chart')
      : error
  }
}

const pulled = ({ name }: { readonly name: string }, version: string, content: Buffer): ChartBuild => ({
  name,
  version,
  valuesFiles: [],
  packaged: false,
  resolvedDependencies: 0,
  archive: { content, digest: sha256Digest(content) },
})

const packed = async (
  chart: Chart,
  values: JsonObject | undefined,
  used: readonly string[],
  resolvedDependencies: number,
): Promise<ChartBuild> => {
  const { chart: final, changed } = values ? overwritten(chart, values) : { chart, changed: false }
  const archive = await packageChart(final).catch(error => {
    throw fail('ChartPackageError', error, 'failed to package chart')
  })
  const { name, version } = final.metadata
  return { name, version, valuesFiles: changed ? used : [], packaged: true, resolvedDependencies, archive }
}

const overwritten = (chart: Chart, values: JsonObject) => {
  try {
    return replaceValues(chart, values)
  } catch (error) {
    throw fail('ValuesFilesError', error)
  }
}

const loadArchive = (content: Uint8Array, what: string, limits: HelmLimits): Promise<Chart> =>
  filesInArchive(content, limits)
    .then(files => loadChart(files, limits))
    .catch(error => {
      throw error instanceof InvalidChart ? fail('ChartPackageError', error, what) : error
    })

interface MergedValues {
  readonly values: JsonObject
  readonly used: readonly string[]
}

/** Reads values files from the chart itself, including its values.yaml if listed. */
const mergeChartValues = (chart: Chart, options: BuildOptions): MergedValues =>
  mergeFiles(options, 'failed to merge chart values: ', path => {
    const name = clampPath(path)
    const data = name === 'values.yaml' ? chart.values?.file : chart.files.find(file => file.name === name)?.data
    if (data) return data
    return name === 'values.yaml' ? new Uint8Array() : `no values file found at path '${path}'`
  })

/** Reads values files from anywhere in the source. */
const mergeTreeValues = (tree: SourceTree, options: BuildOptions): MergedValues =>
  mergeFiles(options, '', path => {
    const name = clampPath(path)
    return tree.get(name)?.content ?? `no values file found at path '/${name}' (reference '${path}')`
  })

/** `read` returns the content of a file, or an error message. */
const mergeFiles = (
  { valuesFiles, ignoreMissingValuesFiles }: BuildOptions,
  prefix: string,
  read: (path: string) => Uint8Array | string,
): MergedValues => {
  let values: JsonObject = {}
  const used: string[] = []
  for (const path of valuesFiles) {
    const content = read(path)
    if (typeof content === 'string') {
      if (ignoreMissingValuesFiles) continue
      throw new ChartBuildError('ValuesFilesError', prefix + content)
    }
    try {
      values = mergeValues(values, readValues(content))
    } catch (error) {
      throw error instanceof InvalidChart
        ? fail('ValuesFilesError', error, `${prefix}unmarshaling values from '${path}' failed`)
        : error
    }
    used.push(path)
  }
  return { values, used }
}

/** Adds a chart's missing dependencies; returns the complete chart and their number. Fails with ChartBuildError. */
export type ResolveDependencies = (
  chart: Chart,
  tree: SourceTree,
  folder: string,
) => Promise<{ chart: Chart; count: number }>

/** Packages a chart from a source, where it is a folder or an archive. Fails with ChartBuildError. */
export const buildLocalChart = async (
  tree: SourceTree,
  path: string,
  options: BuildOptions,
  resolve: ResolveDependencies,
): Promise<ChartBuild> => {
  const folder = requirePath(path)
  const file = tree.get(folder)
  const metadata = file ? await archivedMetadata(file.content, options.limits) : folderMetadata(tree, folder)
  const version = withMetadata(metadata.version, options.versionMetadata)
  const valuesFiles = effectiveValuesFiles(options.valuesFiles)
  const requiresPackaging = !file || options.versionMetadata !== '' || valuesFiles.length > 0
  const kept = unchanged({ name: metadata.name, version }, options, requiresPackaging)
  if (kept) return kept
  if (!requiresPackaging) return pulled(metadata, version, Buffer.from(file!.content))
  const merged = valuesFiles.length > 0 ? mergeTreeValues(tree, options) : undefined
  const loaded = await (file
    ? loadArchive(file.content, 'failed to load chart', options.limits)
    : loadFolder(tree, folder, options.limits))
  const chart = { ...loaded, metadata: { ...loaded.metadata, version } }
  const { chart: whole, count } = file ? { chart, count: 0 } : await resolve(chart, tree, folder)
  return packed(whole, merged?.values, merged?.used ?? [], count)
}

/** The source's root in messages: Flux unpacks it to a folder with this name. */
const root = '/source'

const requirePath = (path: string): string => {
  if (path === '') throw new ChartBuildError('InvalidChartReference', 'no path set for local chart reference')
  if (path.startsWith('/')) {
    throw new ChartBuildError('InvalidChartReference', 'local chart reference path is expected to be relative')
  }
  return clampPath(path)
}

const folderMetadata = (tree: SourceTree, folder: string) => {
  const prefix = folder === '' ? '' : `${folder}/`
  if (folder !== '' && !tree.keys().some(path => path.startsWith(prefix))) {
    throw new ChartBuildError('InvalidChartReference', `stat ${root}/${folder}: no such file or directory`)
  }
  const chartYaml = tree.get(`${prefix}Chart.yaml`)
  if (!chartYaml) {
    throw new ChartBuildError('InvalidChartReference', `open ${root}/${prefix}Chart.yaml: no such file or directory`)
  }
  try {
    const metadata = parseMetadata([chartYaml.content], tree.get(`${prefix}requirements.yaml`)?.content)
    validateMetadata(metadata)
    return metadata
  } catch (error) {
    throw error instanceof InvalidChart ? fail('InvalidChartReference', error) : error
  }
}

const archivedMetadata = (content: Uint8Array, limits: HelmLimits) =>
  metadataIn(Buffer.from(content), limits).catch(error => {
    throw error instanceof ChartBuildError ? fail('InvalidChartReference', error.cause) : error
  })

const loadFolder = async (tree: SourceTree, folder: string, limits: HelmLimits): Promise<Chart> => {
  try {
    return await loadChart(filesInFolder(tree, folder, limits), limits)
  } catch (error) {
    throw error instanceof InvalidChart ? fail('ChartPackageError', error) : error
  }
}
