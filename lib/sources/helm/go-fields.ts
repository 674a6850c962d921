import { parseTime } from '../../engines/template/values/parse-time.ts'
import { isObject, type JsonObject, type JsonValue } from '../../engines/yaml/json-value.ts'
import { scalarText } from '../../engines/yaml/scalar-text.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { InvalidChart } from './invalid-chart.ts'

/** The type of a field in one of Helm's Go structs. */
export type GoType = 'string' | 'bool' | 'strings' | 'map' | 'time' | 'any' | GoStruct | readonly [GoStruct]

export interface GoStruct {
  readonly type: string
  readonly fields: Readonly<Record<string, GoType>>
}

/**
 * Decodes an object into a Go struct as sigs.k8s.io/yaml does: drops unknown fields, treats null as absent, converts
 * numbers and booleans to strings, and refuses values of other types with Go's message. Fails with InvalidChart, which
 * names the field below `path`.
 */
export const goFields = (value: JsonValue, struct: GoStruct, path = ''): JsonObject => {
  if (value === null) return {}
  if (!isObject(value)) throw mismatch(value, `Go value of type ${struct.type}`)
  const read: JsonObject = {}
  for (const [name, type] of Object.entries(struct.fields)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined || given === null) continue
    read[name] = readField(given, type, lastPart(struct.type), path + name)
  }
  return read
}

/** The first field that a Go struct lacks, in the order of sigs.k8s.io/yaml; ignores case. */
export const unknownField = (value: JsonValue, struct: GoStruct): string | undefined => {
  if (!isObject(value)) return undefined
  const known = new Map(Object.entries(struct.fields).map(([name, type]) => [name.toLowerCase(), type]))
  for (const name of Object.keys(value).sort()) {
    const type = known.get(name.toLowerCase())
    if (type === undefined) return name
    const inner = unknownWithin(value[name]!, type)
    if (inner !== undefined) return inner
  }
  return undefined
}

const unknownWithin = (value: JsonValue, type: GoType): string | undefined => {
  if (typeof type === 'string') return undefined
  if ('type' in type) return unknownField(value, type)
  const [item] = type
  for (const entry of Array.isArray(value) ? value : []) {
    const unknown = unknownField(entry, item)
    if (unknown !== undefined) return unknown
  }
  return undefined
}

const readField = (value: JsonValue, type: GoType, owner: string, path: string): JsonValue => {
  const mismatchedField = (wanted: string, what = value) =>
    mismatch(what, `Go struct field ${owner}.${path} of type ${wanted}`)
  const text = (item: JsonValue): string => {
    const found = scalarText(item)
    if (found === undefined) throw mismatchedField('string', item)
    return found
  }
  const fields = (item: JsonValue, struct: GoStruct): JsonObject => {
    if (!isObject(item)) throw mismatchedField(struct.type, item)
    return goFields(item, struct, `${path}.`)
  }
  switch (type) {
    case 'any':
      return value
    case 'string':
      return text(value)
    case 'bool':
      if (typeof value !== 'boolean') throw mismatchedField('bool')
      return value
    case 'time':
      return requireTime(value)
    case 'strings':
      if (!Array.isArray(value)) throw mismatchedField('[]string')
      return value.map(item => (item === null ? '' : text(item)))
    case 'map':
      if (!isObject(value)) throw mismatchedField('map[string]string')
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, item === null ? '' : text(item)]))
    default: {
      if ('type' in type) return fields(value, type)
      const [item] = type
      if (!Array.isArray(value)) throw mismatchedField(`[]*${item.type}`)
      return value.filter(entry => entry !== null).map(entry => fields(entry, item))
    }
  }
}

const requireTime = (value: JsonValue): string => {
  if (typeof value !== 'string') throw decoding('Time.UnmarshalJSON: input is not a JSON string')
  try {
    parseTime('2006-01-02T15:04:05Z07:00', value)
    return value
  } catch (error) {
    throw decoding(errorMessage(error), error)
  }
}

const lastPart = (type: string): string => type.slice(type.lastIndexOf('.') + 1)

const kindOf = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

const mismatch = (value: JsonValue, target: string): InvalidChart =>
  decoding(`json: cannot unmarshal ${kindOf(value)} into ${target}`)

const decoding = (problem: string, cause?: unknown): InvalidChart =>
  new InvalidChart(`error unmarshaling JSON: while decoding JSON: ${problem}`, cause)
