import type { ChartDependency, ChartMetadata } from '../../engines/helm/chart.ts'
import { readYaml } from '../../engines/helm/read-yaml.ts'
import { isVersion } from '../../engines/semver/is-version.ts'
import type { JsonObject, JsonValue } from '../../engines/yaml/json-value.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { type GoStruct, goFields } from './go-fields.ts'
import { InvalidChart } from './invalid-chart.ts'

const maintainer: GoStruct = { type: 'v2.Maintainer', fields: { name: 'string', email: 'string', url: 'string' } }

const dependency: GoStruct = {
  type: 'v2.Dependency',
  fields: {
    name: 'string',
    version: 'string',
    repository: 'string',
    condition: 'string',
    tags: 'strings',
    enabled: 'bool',
    'import-values': 'any',
    alias: 'string',
  },
}

/** In the order in which Go writes them as JSON. */
export const metadataStruct: GoStruct = {
  type: 'v2.Metadata',
  fields: {
    name: 'string',
    home: 'string',
    sources: 'strings',
    version: 'string',
    description: 'string',
    keywords: 'strings',
    maintainers: [maintainer],
    icon: 'string',
    apiVersion: 'string',
    condition: 'string',
    tags: 'string',
    appVersion: 'string',
    deprecated: 'bool',
    annotations: 'map',
    kubeVersion: 'string',
    dependencies: [dependency],
    type: 'string',
  },
}

export const lockStruct: GoStruct = {
  type: 'v2.Lock',
  fields: { generated: 'time', digest: 'string', dependencies: [dependency] },
}

/** How errors quote a file name: source-controller uses quotes, Helm does not. */
type FileNaming = (file: string) => string

/**
 * Merges Chart.yaml, of which a damaged archive may have several, and for older charts requirements.yaml. Fails with
 * InvalidChart, which names the file.
 */
export const parseMetadata = (
  chartYamls: readonly Uint8Array[],
  requirements?: Uint8Array,
  naming: FileNaming = file => `'${file}'`,
): ChartMetadata => {
  const fields = {
    ...Object.assign({}, ...chartYamls.map(content => readFields(content, naming('Chart.yaml')))),
    ...(requirements && readFields(requirements, naming('requirements.yaml'))),
  }
  return { ...metadataOf(fields), ...(chartYamls.length === 0 && { apiVersion: fields.apiVersion ?? '' }) }
}

/** Adds Go's zero values to the fields that were read. */
export const metadataOf = (fields: JsonObject): ChartMetadata => {
  const { name = '', version = '', apiVersion = '', dependencies, ...rest } = fields
  return {
    ...rest,
    name: name as string,
    version: version as string,
    apiVersion: (apiVersion as string) || 'v1',
    ...(dependencies !== undefined && { dependencies: (dependencies as JsonObject[]).map(dependencyOf) }),
  }
}

/** A dependency with Go's zero values for the fields that others rely on. */
export const dependencyOf = (fields: JsonObject): ChartDependency =>
  ({ ...fields, name: fields.name ?? '', repository: fields.repository ?? '' }) as unknown as ChartDependency

/** The fields of Chart.yaml as Go reads them, without defaults. Throws with Go's message. */
export const chartFileFields = (content: Uint8Array): JsonObject => {
  try {
    return goFields(readYaml(content), metadataStruct)
  } catch (error) {
    throw error instanceof InvalidChart ? error : new InvalidChart(errorMessage(error), error)
  }
}

const readFields = (content: Uint8Array, file: string): JsonObject => {
  try {
    return chartFileFields(content)
  } catch (error) {
    throw new InvalidChart(`cannot load ${file}: ${errorMessage(error)}`, error)
  }
}

/** A go-yaml error with the prefix of sigs.k8s.io/yaml. */
export const goYamlError = (error: unknown): string => {
  const message = errorMessage(error)
  return `error converting YAML to JSON: ${message}`
}

/** Fails with InvalidChart if Helm would refuse to package the chart. */
export const validateMetadata = ({ name, version, apiVersion, type, dependencies = [] }: ChartMetadata): void => {
  const fail = (what: string) => new InvalidChart(`validation: ${what}`)
  if (!apiVersion) throw fail('chart.metadata.apiVersion is required')
  if (!name) throw fail('chart.metadata.name is required')
  if (name !== name.split('/').at(-1)) throw fail(`chart.metadata.name ${JSON.stringify(name)} is invalid`)
  if (!version) throw fail('chart.metadata.version is required')
  if (!isVersion(version)) throw fail(`chart.metadata.version ${JSON.stringify(version)} is invalid`)
  if (type !== undefined && type !== '' && type !== 'application' && type !== 'library') {
    throw fail('chart.metadata.type must be application or library')
  }
  const seen = new Set<string>()
  for (const { name: dependencyName, alias } of dependencies) {
    const key = alias || dependencyName
    if (alias !== undefined && alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(alias)) {
      throw fail(`dependency ${JSON.stringify(dependencyName)} has disallowed characters in the alias`)
    }
    if (seen.has(key)) throw fail(`more than one dependency with name or alias ${JSON.stringify(key)}`)
    seen.add(key)
  }
}

/** Encodes as Go's JSON encoder does: omits empty fields, except the name and repository of dependencies. */
export const metadataJson = (metadata: ChartMetadata): JsonObject => {
  const json: JsonObject = {}
  for (const field of Object.keys(metadataStruct.fields)) {
    const value = metadata[field] as JsonValue | undefined
    if (!isEmpty(value)) json[field] = field === 'dependencies' || field === 'maintainers' ? filled(value!) : value!
  }
  return json
}

const filled = (items: JsonValue): JsonValue =>
  (items as JsonObject[]).map(item =>
    Object.fromEntries(
      Object.entries(item).filter(
        ([key, value]) => key === 'repository' || (key === 'name' && 'repository' in item) || !isEmpty(value),
      ),
    ),
  )

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)
