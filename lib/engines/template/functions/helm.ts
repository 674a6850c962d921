import { parse as parseToml, TomlDate, type TomlValue } from 'smol-toml'
import { formatFloat } from '../../../foundations/go/format-float.ts'
import { emitNode } from '../../yaml/emit-node.ts'
import { fromJson as yamlTree } from '../../yaml/from-json.ts'
import { isObject, type JsonValue } from '../../yaml/json-value.ts'
import { compareKeys } from '../../yaml/key-order.ts'
import { mapNode, scalarNode, seqNode, stringNode, type YamlNode } from '../../yaml/node.ts'
import { parseFirst } from '../../yaml/parse.ts'
import { toJson } from '../../yaml/to-json.ts'
import { YamlError } from '../../yaml/yaml-error.ts'
import { parseJson } from '../format/parse-json.ts'
import { writeToml } from '../format/write-toml.ts'
import { fromJson } from '../values/from-json.ts'
import { parseTime } from '../values/parse-time.ts'
import { toJsonValue } from '../values/to-json.ts'
import {
  type FunctionMap,
  isList,
  isMap,
  isNothing,
  kindOf,
  NilMap,
  RenderingFunction,
  TemplateFunction,
  TypedList,
  type Value,
} from '../values/value.ts'
import { orEmpty, writeYaml } from './encoding.ts'

const required = (message: string, value: Value): Value => {
  if (isNothing(value) || value === '') throw new Error(message)
  return value
}

/** Without the trailing newline, which `toYaml` of a ResourceSet keeps. */
const toYaml = (value: Value): string => writeYaml(value).replace(/\n$/, '')

const orMessage = (write: (value: Value) => string) => (value: Value) => {
  try {
    return write(value)
  } catch (error) {
    return (error as Error).message
  }
}

/** Go's library panics if there is no value. */
const something = (write: (value: Value) => string) => (value: Value) => {
  if (isNothing(value)) throw new Error('reflect: call of reflect.Value.Type on zero Value')
  return write(value)
}

/**
 * As go-yaml v3 writes Go's values, with indented lists: floats as Go prints them, strings quoted if a YAML 1.1 reader would take them for
 * booleans or base-60 numbers. Values that YAML can't represent are omitted.
 */
const toYamlPretty = (value: Value): string =>
  emitNode(prettyNode(toJsonValue(value)), { level: 2, indentLists: true }).replace(/\n$/, '')

const OLD_SCALAR =
  /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)$/

const prettyNode = (value: JsonValue): YamlNode => {
  if (typeof value === 'number') return scalarNode(formatFloat(value, 'g', -1))
  if (typeof value === 'string') return prettyText(value)
  if (Array.isArray(value) && value.length > 0) return seqNode(value.map(prettyNode))
  if (!isObject(value) || Object.keys(value).length === 0) return yamlTree(value)
  return mapNode(
    Object.keys(value)
      .sort(compareKeys)
      .flatMap(key => [prettyText(key), prettyNode(value[key]!)]),
  )
}

const prettyText = (text: string): YamlNode => {
  const node = stringNode(text)
  if (OLD_SCALAR.test(text)) node.style = 'double'
  return node
}

/** Integers become int64, dates times; parsing never fails: the message is returned under `Error`. */
const fromToml = (text: string): Value => {
  try {
    return tomlValue(parseToml(text, { integersAsBigInt: true }))
  } catch (error) {
    return new Map([['Error', `toml: ${(error as Error).message.split('\n')[0]}`]])
  }
}

const tomlValue = (value: TomlValue): Value => {
  if (value instanceof TomlDate) return parseTime(RFC_3339, value.toISOString())
  if (Array.isArray(value)) return value.map(tomlValue)
  if (typeof value !== 'object') return value
  return new Map(Object.entries(value).map(([key, item]) => [key, tomlValue(item)]))
}

const RFC_3339 = '2006-01-02T15:04:05.999999999Z07:00'

/** Empty YAML yields an empty map or list, where JSON yields nil. Of duplicate keys the last wins. */
const fromYaml = (text: string): Value => {
  try {
    const root = parseFirst(text, { goYaml: 2 })
    const value = root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
    return value === null ? undefined : fromJson(value, { integers: 'float64' })
  } catch (error) {
    const { message } = error instanceof YamlError ? error.asV2() : (error as Error)
    throw new Error(`error converting YAML to JSON: ${message}`, { cause: error })
  }
}

/** Parsing never fails in a chart: the message is returned under `Error` or as the only item. */
const reading = (read: (text: string) => Value, wanted: 'map[string]interface {}' | '[]interface {}', context = '') => {
  const isMapWanted = wanted !== '[]interface {}'
  return new TemplateFunction(['string'], (text: string): Value => {
    try {
      const value = read(text)
      if (value === undefined) return isMapWanted ? new Map() : []
      if (value === null) return isMapWanted ? new NilMap() : TypedList.holding('interface {}', [], true)
      if (isMapWanted ? isMap(value) : isList(value)) return value
      throw new Error(`${context}json: cannot unmarshal ${JSON_NAMES[kindOf(value)]} into Go value of type ${wanted}`)
    } catch (error) {
      const { message } = error as Error
      return isMapWanted ? new Map([['Error', message]]) : [message]
    }
  })
}
const OF_YAML = 'error unmarshaling JSON: while decoding JSON: '
const JSON_NAMES: Readonly<Record<string, string>> = {
  ...{ map: 'object', slice: 'array', string: 'string', float64: 'number', bool: 'bool' },
}

const any = (call: (value: Value) => Value) => new TemplateFunction(['interface {}'], call)

/**
 * The functions that Helm adds to sprig; `toJson` is sprig's. `lookup` finds nothing, as when Helm has no cluster; a run with a cluster
 * passes its own `lookup` in `calls`.
 */
export const helmFunctions: FunctionMap = new Map([
  [
    'include',
    new RenderingFunction(['string', 'interface {}'], (run, name: string, data: Value) => run.render(name, data)),
  ],
  [
    'tpl',
    new RenderingFunction(['string', 'interface {}'], (run, text: string, data: Value) => run.expand(text, data)),
  ],
  // Helm does no DNS lookups by default (--enable-dns).
  ['getHostByName', new TemplateFunction(['string'], () => '')],
  ['required', new TemplateFunction(['string', 'interface {}'], required)],
  ['lookup', new TemplateFunction(['string', 'string', 'string', 'string'], () => new Map())],
  ['toYaml', any(orEmpty(toYaml))],
  ['mustToYaml', any(toYaml)],
  ['toYamlPretty', any(orEmpty(toYamlPretty))],
  ['toToml', any(something(orMessage(writeToml)))],
  ['mustToToml', any(something(writeToml))],
  ['fromToml', new TemplateFunction(['string'], fromToml)],
  ['fromYaml', reading(fromYaml, 'map[string]interface {}', OF_YAML)],
  ['fromYamlArray', reading(fromYaml, '[]interface {}', OF_YAML)],
  ['fromJson', reading(parseJson, 'map[string]interface {}')],
  ['fromJsonArray', reading(parseJson, '[]interface {}')],
])
