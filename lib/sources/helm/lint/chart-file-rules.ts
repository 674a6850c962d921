import { readYaml } from '../../../engines/helm/read-yaml.ts'
import { parseConstraint } from '../../../engines/semver/constraint.ts'
import { parseVersion } from '../../../engines/semver/version.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../engines/yaml/json-value.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import { chartFileFields, goYamlError, metadataStruct } from '../chart-metadata.ts'
import { unknownField } from '../go-fields.ts'
import type { LintReport } from './lint-message.ts'

const file = 'Chart.yaml'

/** Lint rules for Chart.yaml. */
export const lintChartFile = (content: Uint8Array, report: LintReport): void => {
  const error = (text: string | undefined) => report.rule('ERROR', file, text)
  let fields: JsonObject
  try {
    fields = chartFileFields(content)
  } catch (cause) {
    error(`unable to parse YAML\n\t${errorMessage(cause)}`)
    return
  }
  const raw = rawFields(content)
  report.rule('WARNING', file, parseStrictly(content, raw))
  error(nameProblem(textOf(fields.name)))
  error(apiVersionProblem(textOf(fields.apiVersion)))
  error(typeProblem(raw, 'version'))
  error(versionProblem(textOf(fields.version)))
  error(typeProblem(raw, 'appVersion'))
  error(maintainerProblem(raw.maintainers))
  error(sourceProblem(fields.sources))
  report.rule('INFO', file, textOf(fields.icon) === '' ? 'icon is recommended' : undefined)
  error(iconProblem(textOf(fields.icon)))
  error(chartTypeProblem(fields))
  error(dependenciesProblem(fields))
  report.rule('WARNING', file, strictVersionProblem(textOf(fields.version)))
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

const rawFields = (content: Uint8Array): JsonObject => {
  const value = readYaml(content)
  return isObject(value) ? value : {}
}

/** Duplicate keys, and fields that Helm doesn't know. */
const parseStrictly = (content: Uint8Array, raw: JsonObject): string | undefined => {
  const problem = (text: string) => `failed to strictly parse chart metadata file\n\t${text}`
  try {
    parseYaml(content)
  } catch (error) {
    return problem(
      goYamlError(error).replace(/mapping key (".*") already defined at line \d+$/gm, 'key $1 already set in map'),
    )
  }
  const unknown = unknownField(raw, metadataStruct)
  return unknown === undefined
    ? undefined
    : problem(`error unmarshaling JSON: while decoding JSON: json: unknown field ${quote(unknown)}`)
}

const nameProblem = (name: string): string | undefined => {
  if (name === '') return 'name is required'
  const base = name.replace(/\/+$/, '').split('/').at(-1) || '/'
  return base === name ? undefined : `chart name ${quote(name)} is invalid`
}

const apiVersionProblem = (apiVersion: string): string | undefined => {
  const allowed = 'The value must be either "v1" or "v2"'
  if (apiVersion === '') return `apiVersion is required. ${allowed}`
  return apiVersion === 'v1' || apiVersion === 'v2' ? undefined : `apiVersion '${apiVersion}' is not valid. ${allowed}`
}

/** The Go type of a YAML value. */
const typeProblem = (raw: JsonObject, field: string): string | undefined => {
  const value = raw[field]
  if (value === undefined || typeof value === 'string') return undefined
  return `${field} should be of type string but it's of type ${goType(value)}`
}

const goType = (value: JsonValue): string => {
  if (value === null) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  return 'float64'
}

const versionProblem = (version: string): string | undefined => {
  if (version === '') return 'version is required'
  try {
    const parsed = parseVersion(version)
    return parseConstraint('>0.0.0-0').matches(parsed)
      ? undefined
      : `version ${quote(version)} is less than or equal to "0.0.0-0"`
  } catch {
    return `version '${version}' is not a valid SemVer`
  }
}

/** Semantic Versioning 2.0.0, without a leading v. */
const semanticVersion =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/

const strictVersionProblem = (version: string): string | undefined =>
  semanticVersion.test(version) ? undefined : `version '${version}' is not a valid SemVerV2`

const maintainerProblem = (maintainers: JsonValue | undefined): string | undefined => {
  for (const maintainer of Array.isArray(maintainers) ? maintainers : []) {
    if (!isObject(maintainer)) return 'a maintainer entry is empty'
    const [name, email, url] = [textOf(maintainer.name), textOf(maintainer.email), textOf(maintainer.url)]
    if (name === '') return 'each maintainer requires a name'
    if (email !== '' && !isEmail(email)) return `invalid email '${email}' for maintainer '${name}'`
    if (url !== '' && !isUrl(url)) return `invalid url '${url}' for maintainer '${name}'`
  }
  return undefined
}

const sourceProblem = (sources: JsonValue | undefined): string | undefined => {
  const bad = (Array.isArray(sources) ? sources : []).find(source => !isRequestUrl(textOf(source)))
  return bad === undefined ? undefined : `invalid source URL '${textOf(bad)}'`
}

const iconProblem = (icon: string): string | undefined =>
  icon === '' || isRequestUrl(icon) ? undefined : `invalid icon URL '${icon}'`

const chartTypeProblem = ({ type, apiVersion }: JsonObject): string | undefined =>
  textOf(type) === '' || apiVersion === 'v2'
    ? undefined
    : `chart type is not valid in apiVersion '${textOf(apiVersion)}'. It is valid in apiVersion 'v2'`

const dependenciesProblem = ({ dependencies, apiVersion }: JsonObject): string | undefined =>
  !Array.isArray(dependencies) || dependencies.length === 0 || apiVersion === 'v2'
    ? undefined
    : `dependencies are not valid in the Chart file with apiVersion '${textOf(apiVersion)}'. They are valid in apiVersion 'v2'`

const isEmail = (text: string): boolean =>
  text.length <= 254 && /^[^\s@<>(),;:\\"[\]]+@(?:[\p{L}\d-]+\.)+[\p{L}\d-]+$/u.test(text)

/** A URL with or without a scheme. More permissive than Helm's library. */
const isUrl = (text: string): boolean => {
  if (text.length < 3 || text.length >= 2083 || text.startsWith('.') || /\s/.test(text)) return false
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`)
  return url !== null && /^(?:ftp|tcp|udp|wss?|https?):$/.test(url.protocol) && url.hostname !== ''
}

/** Go's ParseRequestURI, with a scheme required. */
const isRequestUrl = (text: string): boolean =>
  /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s\p{Cc}]+$/u.test(text) &&
  !/^[^:]*:\/\/[^/?#]*[{}|\\^`]/.test(text) &&
  URL.canParse(text)
