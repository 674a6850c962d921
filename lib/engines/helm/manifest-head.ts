import type { Budget } from '../../foundations/budget/budget.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { isObject, type JsonValue } from '../yaml/json-value.ts'
import { scalarText } from '../yaml/scalar-text.ts'
import { RenderError } from './helm-error.ts'
import { jsonKind, readYaml } from './read-yaml.ts'

/** The fields of a rendered document that Helm reads. */
export interface ManifestHead {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly annotations: ReadonlyMap<string, string>
}

/** Reads the head of a document. Throws RenderError, which names the file, for invalid YAML and fields of the wrong type. */
export const readHead = (document: string, path: string, budget?: Budget): ManifestHead => {
  try {
    const head = structOf(readYaml(document, budget), 'Go value of type util.SimpleHead')
    const metadata = structOf(head('metadata'), `Go struct field SimpleHead.metadata of type ${METADATA}`)
    return {
      apiVersion: textOf(head('apiVersion'), 'SimpleHead.apiVersion'),
      kind: textOf(head('kind'), 'SimpleHead.kind'),
      name: textOf(metadata('name'), '.metadata.name'),
      annotations: annotationsOf(metadata('annotations')),
    }
  } catch (error) {
    throw new RenderError(`YAML parse error on ${path}: ${errorMessage(error)}`, error)
  }
}

const METADATA = 'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }'

/** Finds a field as encoding/json does: case-insensitively, the last by name if several match; null counts as absent. */
const structOf = (value: JsonValue, target: string): ((field: string) => JsonValue) => {
  if (value === null) return () => null
  if (!isObject(value)) throw mismatch(value, target)
  return field => {
    const keys = Object.keys(value).filter(key => key.toLowerCase() === field.toLowerCase() && value[key] !== null)
    const last = keys.length > 1 ? keys.sort().at(-1) : keys[0]
    return last === undefined ? null : value[last]!
  }
}

const textOf = (value: JsonValue, field: string): string => {
  if (value === null) return ''
  const text = scalarText(value)
  if (text === undefined) throw mismatch(value, `Go struct field ${field} of type string`)
  return text
}

const annotationsOf = (value: JsonValue): ReadonlyMap<string, string> => {
  if (value === null) return new Map()
  if (!isObject(value)) throw mismatch(value, 'Go struct field .metadata.annotations of type map[string]string')
  return new Map(Object.entries(value).map(([key, item]) => [key, textOf(item, '.metadata.annotations')]))
}

const mismatch = (value: JsonValue, target: string): Error =>
  new Error(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into ${target}`)
