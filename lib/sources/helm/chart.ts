import type { ChartDependency, ChartFile, ChartValues, Chart as RenderableChart } from '../../engines/helm/chart.ts'
import { notAMapping, readValues as readDocuments, readYaml } from '../../engines/helm/read-yaml.ts'
import type { JsonObject, JsonValue } from '../../engines/yaml/json-value.ts'
import { isObject } from '../../engines/yaml/json-value.ts'
import type { Budget } from '../../foundations/budget/budget.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { filesInArchive } from './chart-archive.ts'
import { dependencyOf, lockStruct, parseMetadata, validateMetadata } from './chart-metadata.ts'
import { goFields } from './go-fields.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import { InvalidChart } from './invalid-chart.ts'

/** A chart in memory, as Helm holds it: what to render, and what to package. */
export interface Chart extends RenderableChart {
  /** Chart.lock, or requirements.lock. */
  readonly lock?: ChartLock
  /** The charts in `charts/`. */
  readonly dependencies: readonly Chart[]
}

interface ChartLock {
  readonly dependencies: readonly ChartDependency[]
  /** The whole file, as data. */
  readonly content: JsonObject
}

interface LoadOptions {
  /** Number of parent charts. */
  readonly depth?: number
  /** Charged for parsing the values. */
  readonly budget?: Budget | undefined
}

/** Sorts the files of a chart into its parts, like Helm's loader. Fails with InvalidChart. */
export const loadChart = async (
  files: readonly ChartFile[],
  limits: HelmLimits = helmLimits,
  { depth = 0, budget }: LoadOptions = {},
): Promise<Chart> => {
  if (depth > limits.maxDepth) throw new InvalidChart(`charts are nested deeper than ${limits.maxDepth}`)
  // An archive may contain a file twice: all copies must be valid, and the last one is used.
  const all = (...names: readonly string[]) => files.filter(({ name }) => names.includes(name))
  const lastFile = (name: string) => all(name).at(-1)
  const last = (name: string) => lastFile(name)?.data
  const chartYaml = all('Chart.yaml').map(({ data }) => data)
  // Helm's loader takes what is in requirements.yaml for metadata, too.
  if (chartYaml.length === 0 && all('requirements.yaml', 'requirements.lock').length === 0)
    throw new InvalidChart('Chart.yaml file is missing')
  const metadata = parseMetadata(chartYaml, last('requirements.yaml'), file => file)
  validateMetadata(metadata)
  const isOld = metadata.apiVersion === 'v1'
  const lock = all('Chart.lock', 'requirements.lock').map(readLock).at(-1)
  const values = all('values.yaml')
    .map(({ data }) => chartValues(data, budget))
    .at(-1)
  const schema = last('values.schema.json')
  const parts: { templates: ChartFile[]; files: ChartFile[]; charts: ChartFile[] } = {
    templates: [],
    files: [],
    charts: [],
  }
  for (const file of files) {
    const place = placeOf(file.name, isOld)
    if (place) parts[place].push(file)
  }
  return {
    metadata,
    ...(lock && { lock }),
    ...(values && { values }),
    ...(schema && { schema, schemaModifiedAt: lastFile('values.schema.json')?.modifiedAt }),
    modifiedAt: lastFile('Chart.yaml')?.modifiedAt,
    templates: parts.templates,
    files: parts.files,
    dependencies: await loadDependencies(parts.charts, metadata.name, limits, { depth: depth + 1, budget }),
  }
}

const placeOf = (name: string, isOld: boolean): 'templates' | 'files' | 'charts' | undefined => {
  if (['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json'].includes(name)) return undefined
  if (name === 'requirements.yaml' || name === 'requirements.lock') return isOld ? 'files' : undefined
  if (name.startsWith('templates/')) return 'templates'
  return name.startsWith('charts/') && !name.endsWith('.prov') ? 'charts' : 'files'
}

const readLock = ({ name, data }: ChartFile): ChartLock => {
  try {
    const lock = readYaml(data)
    const { dependencies } = goFields(lock, lockStruct)
    return {
      content: isObject(lock) ? lock : {},
      dependencies: ((dependencies ?? []) as JsonObject[]).map(dependencyOf),
    }
  } catch (error) {
    throw new InvalidChart(`cannot load ${name}: ${errorMessage(error)}`, error)
  }
}

/** Reads a values.yaml. Fails with InvalidChart. */
export const chartValues = (file: Uint8Array, budget?: Budget): ChartValues => {
  try {
    return { file, tables: readDocuments(file, budget) }
  } catch (error) {
    throw new InvalidChart(`cannot load values.yaml: ${errorMessage(error)}`, error)
  }
}

/** The values in a file. Fails with InvalidChart if it is not YAML, or not a mapping. */
export const readValues = (content: Uint8Array): JsonObject => {
  let value: JsonValue
  try {
    value = readYaml(content)
  } catch (error) {
    throw new InvalidChart(errorMessage(error), error)
  }
  if (value === null) return {}
  if (isObject(value)) return value
  throw new InvalidChart(notAMapping(value))
}

const loadDependencies = async (
  files: readonly ChartFile[],
  parent: string,
  limits: HelmLimits,
  options: LoadOptions,
): Promise<readonly Chart[]> => {
  const byName = new Map<string, ChartFile[]>()
  for (const { name, data } of files) {
    const path = name.slice('charts/'.length)
    const [first = ''] = path.split('/')
    byName.set(first, [...(byName.get(first) ?? []), { name: path, data }])
  }
  const charts: Chart[] = []
  for (const [name, own] of [...byName].sort(([a], [b]) => compareText(a, b))) {
    if (/^[_.]/.test(name)) continue
    const inside = name.endsWith('.tgz') ? await unpack(own[0]!, name, parent, limits) : belowFolder(own)
    // A file in charts/ that is not a chart, for example a README.
    if (inside.length === 0) continue
    charts.push(
      await loadChart(inside, limits, options).catch(error => {
        throw new InvalidChart(`error unpacking subchart ${name} in ${parent}: ${(error as Error).message}`, error)
      }),
    )
  }
  return charts
}

const unpack = (file: ChartFile, name: string, parent: string, limits: HelmLimits): Promise<readonly ChartFile[]> => {
  if (file.name === name) return filesInArchive(file.data, limits)
  throw new InvalidChart(`error unpacking subchart tar in ${parent}: expected ${name}, got ${file.name}`)
}

const belowFolder = (files: readonly ChartFile[]): readonly ChartFile[] =>
  files
    .filter(({ name }) => name.includes('/'))
    .map(({ name, data }) => ({ name: name.slice(name.indexOf('/') + 1), data }))
