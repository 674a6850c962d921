import { Parser } from '../../yaml/parser.ts'
import { decodeText } from '../../yaml/text.ts'
import { toJson } from '../../yaml/to-json.ts'
import { parseJson } from '../format/parse-json.ts'
import { writeToml } from '../format/write-toml.ts'
import { fromJson } from '../values/from-json.ts'
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

/** Without the line end that `toYaml` of a ResourceSet keeps. */
const toYaml = (value: Value): string => writeYaml(value).replace(/\n$/, '')

const orMessage = (write: (value: Value) => string) => (value: Value) => {
  try {
    return write(value)
  } catch (error) {
    return (error as Error).message
  }
}

/** Where nothing is no value, Go's library gives up. */
const something = (write: (value: Value) => string) => (value: Value) => {
  if (isNothing(value)) throw new Error('reflect: call of reflect.Value.Type on zero Value')
  return write(value)
}

/** Of nothing in YAML comes something empty, where JSON gives nil. Of keys that stand twice the last one counts. */
const fromYaml = (text: string): Value => {
  const document = new Parser(decodeText(text)).next()
  const value = document ? toJson(document.root, { schema: 'kubernetes', lastKeyWins: true }) : null
  return value === null ? undefined : fromJson(value, { integers: 'float64' })
}

/** Reading never fails in a chart: the message is the result, under `Error` or as the only item. */
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
 * What Helm adds to sprig for its charts; `toJson` is that of sprig. `lookup` finds nothing, as where Helm has no cluster to
 * ask; a run that has one gives its own among its `calls`.
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
  // Helm asks no name servers unless told to (--enable-dns).
  ['getHostByName', new TemplateFunction(['string'], () => '')],
  ['required', new TemplateFunction(['string', 'interface {}'], required)],
  ['lookup', new TemplateFunction(['string', 'string', 'string', 'string'], () => new Map())],
  ['toYaml', any(orEmpty(toYaml))],
  ['mustToYaml', any(toYaml)],
  ['toToml', any(something(orMessage(writeToml)))],
  ['mustToToml', any(something(writeToml))],
  ['fromYaml', reading(fromYaml, 'map[string]interface {}', OF_YAML)],
  ['fromYamlArray', reading(fromYaml, '[]interface {}', OF_YAML)],
  ['fromJson', reading(parseJson, 'map[string]interface {}')],
  ['fromJsonArray', reading(parseJson, '[]interface {}')],
])
