import { toJsonValue } from '../../template/values/to-json.ts'
import type { ValueMap } from '../../template/values/value.ts'
import type { JsonObject, JsonValue } from '../../yaml/json-value.ts'
import type { Chart, ChartFile } from '../chart.ts'
import { chartTree, type Requirement } from '../chart-tree.ts'
import { processDependencies } from '../process-dependencies.ts'
import type { StoredChart, StoredChartMetadata, StoredFile } from './release.ts'

/** The input of a stored chart. */
export interface ChartWithLock extends Chart {
  /** Chart.lock. */
  readonly lock?: { readonly content: JsonObject }
}

/** Go's zero time. */
const NO_TIME = '0001-01-01T00:00:00Z'

/** The fields of a chart's metadata, in the order of Helm's struct. */
export const metadataFields: readonly string[] = [
  ...[
    'name',
    'home',
    'sources',
    'version',
    'description',
    'keywords',
    'maintainers',
    'icon',
    'apiVersion',
    'condition',
  ],
  ...['tags', 'appVersion', 'deprecated', 'annotations', 'kubeVersion', 'dependencies', 'type'],
]

/** The fields of a dependency, in the order of Helm's struct. */
export const dependencyFields = [
  'name',
  'version',
  'repository',
  'condition',
  'tags',
  'enabled',
  'import-values',
  'alias',
] as const

/**
 * A chart as Helm stores it with a release that has these values: only enabled dependencies, imported values included. Throws
 * HelmError.
 */
export const storedChart = (chart: ChartWithLock, values: ValueMap): StoredChart => {
  const root = chartTree(chart)
  processDependencies(root, values)
  return {
    metadata: storedMetadata(chart.metadata, root.requirements),
    lock: chart.lock?.content ?? null,
    templates: storedFiles(chart.templates),
    values: toJsonValue(root.values) as JsonObject,
    schema: chart.schema ? base64(chart.schema) : null,
    schemamodtime: timeOf(chart.schemaModifiedAt) ?? NO_TIME,
    files: storedFiles(chart.files),
    ...modtime(chart.modifiedAt),
  }
}

const storedMetadata = (
  metadata: Chart['metadata'],
  requirements: readonly Requirement[] | undefined,
): StoredChartMetadata => {
  const fields: Readonly<Record<string, unknown>> = { ...metadata, dependencies: requirements?.map(storedDependency) }
  return pick(fields, metadataFields) as StoredChartMetadata
}

const storedDependency = (requirement: Requirement): JsonObject => ({
  ...pick({ ...requirement, repository: undefined }, dependencyFields.slice(0, 2)),
  repository: requirement.repository ?? '',
  ...pick({ ...requirement }, dependencyFields.slice(3)),
})

const pick = (fields: Readonly<Record<string, unknown>>, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.filter(name => !isNothing(fields[name])).map(name => [name, fields[name] as JsonValue] as const),
  )

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const storedFiles = (files: readonly ChartFile[]): readonly StoredFile[] | null =>
  files.length === 0
    ? null
    : files.map(({ name, modifiedAt, data }) => ({ name, ...modtime(modifiedAt), data: base64(data) }))

const timeOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/** Helm stores no time for files without one. */
const modtime = (seconds: number | undefined): { readonly modtime?: string } => {
  const time = timeOf(seconds)
  return time === undefined ? {} : { modtime: time }
}

const base64 = (data: Uint8Array): string => Buffer.from(data).toString('base64')
