import { compareVersions, parseVersion, type Version } from '../../engines/semver/version.ts'
import { goString } from '../../engines/yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../engines/yaml/json-value.ts'
import { parseYaml } from '../../engines/yaml/parse.ts'
import { goYamlError, metadataOf, metadataStruct, validateMetadata } from './chart-metadata.ts'
import { type GoStruct, goFields } from './go-fields.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import { InvalidChart } from './invalid-chart.ts'

/** One version of a chart in a repository. */
export interface ChartVersion {
  readonly name: string
  readonly version: string
  readonly urls: readonly string[]
  /** RFC 3339; '' if the index has none. */
  readonly created: string
  /** SHA-256 of the archive, hexadecimal, with or without `sha256:`; '' if the index has none. */
  readonly digest: string
}

/** The index of a chart repository. */
export interface ChartIndex {
  /** By name; the highest version of a chart first. */
  readonly entries: ReadonlyMap<string, readonly ChartVersion[]>
}

export interface ParsedIndex extends ChartIndex {
  /** The whole index as data, for storage. */
  readonly fields: JsonObject
}

const chartVersion: GoStruct = {
  type: 'repo.ChartVersion',
  fields: {
    ...metadataStruct.fields,
    urls: 'strings',
    created: 'string',
    removed: 'bool',
    digest: 'string',
    checksum: 'string',
    engine: 'string',
    tillerVersion: 'string',
    url: 'string',
  },
}

const indexFields = ['serverInfo', 'apiVersion', 'generated', 'entries', 'publicKeys', 'annotations']

/** Reads index.yaml, or the same as JSON; skips invalid charts, as Helm does. Fails with InvalidChart. */
export const parseIndex = (
  content: Uint8Array,
  { maxIndexBytes }: Pick<HelmLimits, 'maxIndexBytes'> = helmLimits,
): ParsedIndex => {
  if (content.length > maxIndexBytes) {
    throw new InvalidChart(`index exceeds the maximum index file size of ${maxIndexBytes} bytes`)
  }
  if (content.length === 0) throw new InvalidChart('empty index.yaml file')
  const index = objectIn(content)
  if (typeof index.apiVersion !== 'string' || index.apiVersion === '')
    throw new InvalidChart('no API version specified')
  const given = index.entries ?? {}
  if (!isObject(given)) throw new InvalidChart('the entries of the index are not a mapping')
  const entries = new Map<string, readonly ChartVersion[]>()
  const fields: JsonObject = {}
  for (const [name, versions] of Object.entries(given)) {
    if (!Array.isArray(versions) && versions !== null) continue
    const known = versions && sorted(versions.filter(isObject).flatMap(readVersion))
    if (known) entries.set(name, known.map(shown))
    Object.defineProperty(fields, name, { value: known, enumerable: true, configurable: true, writable: true })
  }
  // Go distinguishes a missing map from an empty one, also in its output.
  const isMissing = index.entries === undefined || index.entries === null
  return { entries, fields: { ...index, entries: isMissing ? null : fields } }
}

const objectIn = (content: Uint8Array): JsonObject => {
  const value = readJson(content) ?? readYaml(content)
  if (!isObject(value)) throw new InvalidChart('the index is not a mapping')
  const unknown = Object.keys(value).find(key => !indexFields.includes(key))
  if (unknown === undefined) return value
  throw new InvalidChart(`error unmarshaling JSON: while decoding JSON: json: unknown field ${goString(unknown)}`)
}

const readJson = (content: Uint8Array): JsonValue | undefined => {
  if (content[0] !== 0x7b) return undefined
  try {
    return JSON.parse(Buffer.from(content).toString('utf8'))
  } catch {
    return undefined
  }
}

const readYaml = (content: Uint8Array): JsonValue => {
  try {
    return parseYaml(content)[0] ?? null
  } catch (error) {
    throw new InvalidChart(goYamlError(error), error)
  }
}

/** Empty for an entry that Helm skips. */
const readVersion = (entry: JsonObject): JsonObject[] => {
  const fields = goFields(entry, chartVersion)
  const version: JsonObject = { ...fields, apiVersion: fields.apiVersion || 'v1' }
  try {
    validateMetadata(metadataOf(version))
  } catch (error) {
    // JFrog's repositories drop aliases, so that two dependencies may share a name.
    const isHarmless = error instanceof InvalidChart && error.message.startsWith('validation: more than one dependency')
    if (!isHarmless) return []
  }
  return [version]
}

/** Highest first; of equal versions the later entry first, as after Go's sort and reverse. */
const sorted = (versions: readonly JsonObject[]): JsonObject[] =>
  versions
    .map((fields, index) => ({ fields, index, version: versionOf(fields) }))
    .sort((a, b) => compareVersions(b.version, a.version) || b.index - a.index)
    .map(({ fields }) => fields)

const versionOf = ({ version }: JsonObject): Version => parseVersion(version as string)

const shown = ({ name, version, urls, created, digest }: JsonObject): ChartVersion => ({
  name: (name ?? '') as string,
  version: version as string,
  urls: (urls ?? []) as string[],
  created: (created ?? '') as string,
  digest: (digest ?? '') as string,
})

const noTime = '0001-01-01T00:00:00Z'
const always: Readonly<Record<string, JsonValue>> = { urls: null, created: noTime }

/** Encodes the index as Go's JSON encoder writes Helm's structs: the content of a HelmRepository's artifact. */
export const writeIndex = ({ fields }: Pick<ParsedIndex, 'fields'>): string => {
  const lines = indexFields.flatMap(name => {
    if (name === 'entries') return [`  "entries": ${writeEntries(fields.entries as JsonObject | null)}`]
    const value = fields[name] ?? (name === 'generated' ? noTime : undefined)
    return value === undefined || value === null ? [] : [`  ${goString(name)}: ${write(value, '  ')}`]
  })
  return `{\n${lines.join(',\n')}\n}`
}

const writeEntries = (entries: JsonObject | null): string => {
  if (entries === null) return 'null'
  const written = Object.keys(entries)
    .sort()
    .map(name => [name, writeVersions(entries[name] as JsonObject[] | null)] as const)
  return writeObject(written, '  ')
}

const writeVersions = (versions: readonly JsonObject[] | null): string => {
  if (versions === null) return 'null'
  const lines = versions.map(version => `      ${writeVersion(version)}`)
  return lines.length > 0 ? `[\n${lines.join(',\n')}\n    ]` : '[]'
}

const writeVersion = (version: JsonObject): string =>
  writeObject(
    Object.keys(chartVersion.fields).flatMap(name => {
      const value = Object.hasOwn(version, name) ? version[name] : always[name]
      const isOmitted = value === undefined || value === '' || value === false
      return isOmitted ? [] : [[name, write(value, '        ')] as const]
    }),
    '      ',
  )

const writeObject = (fields: readonly (readonly [string, string])[], indent: string): string =>
  fields.length === 0
    ? '{}'
    : `{\n${fields.map(([name, text]) => `${indent}  ${goString(name)}: ${text}`).join(',\n')}\n${indent}}`

const write = (value: JsonValue, indent: string): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map(item => `${indent}  ${write(item, `${indent}  `)}`).join(',\n')}\n${indent}]`
  }
  if (isObject(value)) {
    return writeObject(
      Object.keys(value)
        .sort()
        .map(key => [key, write(value[key]!, `${indent}  `)] as const),
      indent,
    )
  }
  return typeof value === 'string' ? goString(value) : String(value)
}
