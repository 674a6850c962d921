import type { Budget } from '../../../foundations/budget/budget.ts'
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

/** Those of a dependency. */
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

/** Go's zero time: archives are loaded without the times of their files. */
const NO_TIME = '0001-01-01T00:00:00Z'

/**
 * A chart as Helm stores it with a release that has these values: only enabled dependencies, imported values included. Throws
 * HelmError.
 */
export const storedChart = (chart: ChartWithLock, values: ValueMap, budget?: Budget): StoredChart => {
  const root = chartTree(chart, budget)
  processDependencies(root, values)
  return {
    metadata: storedMetadata(chart.metadata, root.requirements),
    lock: chart.lock?.content ?? null,
    templates: storedFiles(chart.templates),
    values: toJsonValue(root.values) as JsonObject,
    schema: chart.schema ? base64(chart.schema) : null,
    schemamodtime: NO_TIME,
    files: storedFiles(chart.files),
    modtime: NO_TIME,
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
  files.length === 0 ? null : files.map(({ name, data }) => ({ name, data: base64(data) }))

const base64 = (data: Uint8Array): string => Buffer.from(data).toString('base64')
