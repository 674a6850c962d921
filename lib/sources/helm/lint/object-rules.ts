import { readYaml } from '../../../engines/helm/read-yaml.ts'
import { isObject, type JsonValue } from '../../../engines/yaml/json-value.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { checkDns1035Label, checkLabel, checkPathSegment, checkSubdomain } from '../../../foundations/kinds/names.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import { deprecationWarning } from './deprecations.ts'
import type { LintReport } from './lint-message.ts'

/** The parts of an object that `helm lint` reads. */
export interface LintedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

/**
 * Splits a stream like Kubernetes' YAML reader: at lines with `---` and an optional comment. Throws if anything else
 * follows `---`.
 */
export function* splitDocuments(stream: string): Generator<string> {
  let document = ''
  for (const line of stream.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (!line.startsWith('---')) {
      document += line
      continue
    }
    const rest = line.slice(3).trim()
    if (rest !== '' && !rest.startsWith('#')) throw new Error(`invalid Yaml document separator: ${rest}`)
    if (document === '') document += line
    else {
      yield document
      document = ''
    }
  }
  if (document !== '') yield document
}

/** Throws with the message of Go's YAML library; undefined for an empty document. */
export const readObject = (document: string): LintedObject | undefined => {
  const value = readYaml(document)
  if (value === null) return undefined
  if (!isObject(value)) throw mismatch(value, 'Go value of type rules.k8sYamlStruct')
  const metadata = value.metadata ?? {}
  if (!isObject(metadata))
    throw mismatch(metadata, 'Go struct field k8sYamlStruct.Metadata of type rules.k8sYamlMetadata')
  return {
    apiVersion: text(value.apiVersion, 'k8sYamlStruct.apiVersion'),
    kind: text(value.kind, 'k8sYamlStruct.Kind'),
    name: text(metadata.name, 'k8sYamlMetadata.Metadata.Name'),
  }
}

const text = (value: JsonValue | undefined, field: string): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw mismatch(value, `Go struct field ${field} of type string`)
  return String(value)
}

const mismatch = (value: JsonValue, target: string): Error =>
  new Error(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindOf(value)} into ${target}`)

const kindOf = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

/** Lint rules for a rendered object; `minor` is the minor version of Kubernetes. */
export const lintObject = (
  object: LintedObject,
  manifest: string,
  path: string,
  minor: number,
  report: LintReport,
): void => {
  report.rule('WARNING', path, nameProblem(object))
  report.rule('WARNING', path, deprecationWarning(object.apiVersion, object.kind, minor))
  report.rule('ERROR', path, selectorProblem(object, manifest))
  report.rule('ERROR', path, listProblem(object, manifest))
}

const nameChecks: Readonly<Record<string, (name: string) => string[]>> = {
  service: checkDns1035Label,
  namespace: name => checkLabel(name),
  certificatesigningrequest: () => [],
  role: name => checkPathSegment(name),
  clusterrole: name => checkPathSegment(name),
  rolebinding: name => checkPathSegment(name),
  clusterrolebinding: name => checkPathSegment(name),
}

const nameProblem = ({ kind, name }: LintedObject): string | undefined => {
  const check = nameChecks[kind.toLowerCase()] ?? ((name: string) => checkSubdomain(name))
  const problems = check(name).map(problem => `metadata.name: Invalid value: ${quote(name)}: ${problem}`)
  if (problems.length === 0) return undefined
  const all = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`
  return `object name does not conform to Kubernetes naming requirements: ${quote(name)}: ${all}`
}

const workloads: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'])

const selectorProblem = ({ kind, name }: LintedObject, manifest: string): string | undefined =>
  !workloads.has(kind) || manifest.includes('matchLabels') || manifest.includes('matchExpressions')
    ? undefined
    : `a ${kind} must contain matchLabels or matchExpressions, and ${quote(name)} does not`

/** Helm checks only the first document of the file. */
const listProblem = ({ kind }: LintedObject, manifest: string): string | undefined => {
  if (kind !== 'List') return undefined
  try {
    const list = readYaml(manifest)
    const items = isObject(list) && Array.isArray(list.items) ? list.items.filter(isObject) : []
    const isKept = ({ metadata }: (typeof items)[number]) =>
      isObject(metadata) &&
      isObject(metadata.annotations) &&
      Object.hasOwn(metadata.annotations, 'helm.sh/resource-policy')
    return items.some(isKept) ? "annotation 'helm.sh/resource-policy' within List objects are ignored" : undefined
  } catch (error) {
    return `unable to parse YAML: ${errorMessage(error)}`
  }
}
