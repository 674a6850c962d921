import { isObject, type JsonObject, type JsonValue } from '../../engines/yaml/json-value.ts'
import { scalarText } from '../../engines/yaml/scalar-text.ts'
import { BadChart } from './bad-chart.ts'

/** What a field of one of Helm's Go structs may hold. */
export type GoType = 'string' | 'bool' | 'strings' | 'map' | 'any' | GoStruct | readonly [GoStruct]

export interface GoStruct {
  readonly type: string
  readonly fields: Readonly<Record<string, GoType>>
}

/**
 * The fields of an object that a Go struct has, as sigs.k8s.io/yaml reads them: others are dropped, null counts as absent, numbers and
 * booleans become text where text is wanted, and a value of another type is refused in Go's words. Fails with BadChart.
 */
export const goFields = (value: JsonValue, struct: GoStruct): JsonObject => {
  if (value === null) return {}
  if (!isObject(value)) throw mismatch(value, `Go value of type ${struct.type}`)
  const read: JsonObject = {}
  for (const [name, type] of Object.entries(struct.fields)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined || given === null) continue
    read[name] = readField(given, type, `${lastPart(struct.type)}.${name}`)
  }
  return read
}

const readField = (value: JsonValue, type: GoType, field: string): JsonValue => {
  const unfit = (wanted: string) => mismatch(value, `Go struct field ${field} of type ${wanted}`)
  switch (type) {
    case 'any':
      return value
    case 'string': {
      const text = scalarText(value)
      if (text === undefined) throw unfit('string')
      return text
    }
    case 'bool':
      if (typeof value !== 'boolean') throw unfit('bool')
      return value
    case 'strings':
      if (!Array.isArray(value)) throw unfit('[]string')
      return value.map(item => (item === null ? '' : readField(item, 'string', field)))
    case 'map':
      if (!isObject(value)) throw unfit('map[string]string')
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, item === null ? '' : readField(item, 'string', field)]),
      )
    default: {
      if ('type' in type) return goFields(value, type)
      const [item] = type
      if (!Array.isArray(value)) throw unfit(`[]*${item.type}`)
      return value.filter(entry => entry !== null).map(entry => goFields(entry, item))
    }
  }
}

const lastPart = (type: string): string => type.slice(type.lastIndexOf('.') + 1)

const kindOf = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

const mismatch = (value: JsonValue, target: string): BadChart =>
  new BadChart(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindOf(value)} into ${target}`)
