import type { Budget } from '../../foundations/budget/budget.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { fromJson } from '../template/values/from-json.ts'
import { textOf } from '../template/values/text.ts'
import type { Value, ValueMap } from '../template/values/value.ts'
import type { JsonValue } from '../yaml/json-value.ts'
import { parseFirst } from '../yaml/parse.ts'
import { toJson } from '../yaml/to-json.ts'
import { YamlError } from '../yaml/yaml-error.ts'
import { HelmError } from './helm-error.ts'
import { yamlDocuments } from './yaml-documents.ts'

/**
 * Parses the first document of a text as sigs.k8s.io/yaml does: the last of duplicate keys counts. Throws Error with its message.
 * kyaml, which post-renderers use, reads fewer words as booleans, and has other messages for invalid YAML.
 */
export const readYaml = (
  text: string | Uint8Array,
  budget?: Budget,
  schema: 'kubernetes' | 'kyaml' = 'kubernetes',
): JsonValue => {
  try {
    const root = parseFirst(text, { budget, goYaml: schema === 'kyaml' ? 3 : 2 })
    return root ? toJson(root, { schema, lastKeyWins: true }) : null
  } catch (error) {
    if (schema === 'kyaml' && error instanceof YamlError)
      throw new Error(`MalformedYAMLError: ${error.message}`, { cause: error })
    const reported = error instanceof YamlError ? error.asV2() : error
    throw new Error(`error converting YAML to JSON: ${errorMessage(reported)}`, { cause: error })
  }
}

/** encoding/json's message for a value that isn't a map, of a Go type. */
export const notAMapping = (value: JsonValue, type = 'map[string]interface {}'): string =>
  `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`

/** The type of a value as encoding/json names it in its errors: `array`, `bool`, `number`, `string`, `object`. */
export const jsonKind = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

/**
 * Parses a values file: later documents of the stream override earlier ones. All numbers become float64, as in Go's JSON. Throws
 * HelmError with the message of Helm's loader.
 */
export const readValues = (content: Uint8Array, budget?: Budget): ValueMap => {
  let values: ValueMap = new Map()
  const problem = (what: string, cause?: unknown) => new HelmError(`cannot unmarshal yaml document: ${what}`, cause)
  for (const document of documentsOf(textOf(content))) {
    let json: JsonValue
    try {
      json = readYaml(document, budget)
    } catch (error) {
      throw problem(errorMessage(error), error)
    }
    const value = json === null ? new Map() : fromJson(json, { integers: 'float64' })
    if (!(value instanceof Map)) throw problem(notAMapping(json))
    values = overlay(values, value)
  }
  return values
}

function* documentsOf(stream: string): Generator<string> {
  try {
    yield* yamlDocuments(stream)
  } catch (error) {
    throw new HelmError(`error reading yaml document: ${errorMessage(error)}`, error)
  }
}

/** Merges `above` over `below`: maps are merged, anything else is replaced. Changes neither. */
export const overlay = (below: ValueMap, above: ValueMap): ValueMap => {
  const merged = new Map(below)
  for (const [key, value] of above) {
    const present = merged.get(key)
    merged.set(key, isTable(value) && isTable(present) ? overlay(present, value) : value)
  }
  return merged
}

export const isTable = (value: Value): value is ValueMap => value instanceof Map
