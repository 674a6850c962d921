import { emitJson } from '../../yaml/emit-json.ts'
import { parseYaml } from '../../yaml/parse.ts'
import { parseJson } from '../format/parse-json.ts'
import { writeJson } from '../format/write-json.ts'
import { writeToml } from '../format/write-toml.ts'
import { fromJson } from '../values/from-json.ts'
import { toJsonValue } from '../values/to-json.ts'
import { type FunctionMap, RenderingFunction, TemplateFunction, type Value } from '../values/value.ts'

const required = (message: string, value: Value): Value => {
  if (value === null || value === undefined || value === '') throw new Error(message)
  return value
}

/** Without the line end that `toYaml` of a ResourceSet keeps. */
const toYaml = (value: Value): string => emitJson(toJsonValue(value)).replace(/\n$/, '')

const fromYaml = (text: string): Value => fromJson(parseYaml(text)[0] ?? null, { integers: 'float64' })

const orEmpty = (write: (value: Value) => string) => (value: Value) => {
  try {
    return write(value)
  } catch {
    return ''
  }
}

const orMessage = (write: (value: Value) => string) => (value: Value) => {
  if (value === null || value === undefined) throw new Error('reflect: call of reflect.Value.Type on zero Value')
  try {
    return write(value)
  } catch (error) {
    return (error as Error).message
  }
}

/** Reading never fails in a chart: the message is the result, under `Error` or as the only item. */
const reading = (read: (text: string) => Value, wanted: 'map' | 'list') => {
  const isWanted = (value: Value) => (wanted === 'map' ? value instanceof Map : Array.isArray(value))
  const nothing = (): Value => (wanted === 'map' ? new Map() : [])
  const failed = (message: string): Value => (wanted === 'map' ? new Map([['Error', message]]) : [message])
  return new TemplateFunction(['string'], (text: string): Value => {
    try {
      const value = read(text)
      if (value === null) return nothing()
      return isWanted(value) ? value : failed(`json: cannot unmarshal into Go value of type ${GO_TYPES[wanted]}`)
    } catch (error) {
      return failed((error as Error).message)
    }
  })
}
const GO_TYPES = { map: 'map[string]interface {}', list: '[]interface {}' }

const any = (call: (value: Value) => Value) => new TemplateFunction(['interface {}'], call)

/**
 * What Helm adds to sprig for its charts. `lookup` finds nothing, as where Helm has no cluster to ask; a run that has one
 * gives its own among its `calls`.
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
  ['toToml', any(orMessage(writeToml))],
  ['mustToToml', any(writeToml)],
  ['toJson', any(orEmpty(value => writeJson(value, { escapeHtml: true })))],
  ['mustToJson', any(value => writeJson(value, { escapeHtml: true }))],
  ['fromYaml', reading(fromYaml, 'map')],
  ['fromYamlArray', reading(fromYaml, 'list')],
  ['fromJson', reading(parseJson, 'map')],
  ['fromJsonArray', reading(parseJson, 'list')],
])
