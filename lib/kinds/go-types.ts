/**
 * Kubernetes reads metadata and its own kinds into Go types, and tells a value of another type in Go's words. Users know
 * these messages; the names of the types in them are Kubernetes'.
 */
import type { StructuralSchema } from './schema.ts'
import { deepest } from './validate-schema.ts'

/** Structs by the path at which they stand, for messages only. */
const structs: Readonly<Record<string, string>> = {
  metadata: 'ObjectMeta',
  ownerReferences: 'OwnerReference',
  managedFields: 'ManagedFieldsEntry',
  secrets: 'ObjectReference',
  imagePullSecrets: 'LocalObjectReference',
  involvedObject: 'ObjectReference',
  related: 'ObjectReference',
  source: 'EventSource',
  series: 'EventSeries',
  spec: 'NamespaceSpec',
  status: 'NamespaceStatus',
  conditions: 'NamespaceCondition',
}

/** What is said of the first value that has another type than its schema; undefined when all is well. */
export const describeTypeMismatch = (schema: StructuralSchema, value: unknown, struct: string): string | undefined =>
  mismatch(schema, value, { struct, path: '', depth: 0 })

interface Place {
  /** The struct that holds the field. */
  readonly struct: string
  /** Names of fields from the root, without keys of maps and indexes. */
  readonly path: string
  readonly depth: number
}

const mismatch = (schema: StructuralSchema, value: unknown, place: Place): string | undefined => {
  if (value === null || value === undefined || schema['x-kubernetes-preserve-unknown-fields']) return undefined
  if (place.depth > deepest) return `nested deeper than ${deepest} levels`
  if (kindOf(value) !== expectedKind(schema)) return wrongType(schema, value, place)
  if (typeof value === 'number' && schema.type === 'integer' && !Number.isInteger(value))
    return wrongType(schema, value, place, ` ${value}`)
  if (typeof value === 'string') return badFormat(schema, value)
  if (Array.isArray(value)) return firstOf(value, item => mismatch(schema.items ?? {}, item, deeper(place)))
  if (typeof value === 'object') return mismatchInObject(schema, value as Readonly<Record<string, unknown>>, place)
  return undefined
}

const mismatchInObject = (
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  place: Place,
): string | undefined => {
  const { properties, additionalProperties } = schema
  return firstOf(Object.entries(value), ([name, item]) => {
    if (properties && Object.hasOwn(properties, name)) {
      const path = place.path ? `${place.path}.${name}` : name
      const inner = { ...deeper(place), path }
      const property = properties[name]!
      const isStruct = property.properties !== undefined || property.items?.properties !== undefined
      if (!isStruct || kindOf(item) !== expectedKind(property)) return mismatch(property, item, inner)
      const struct = structs[name] ?? place.struct
      return Array.isArray(item)
        ? firstOf(item, one => mismatch(property.items!, one, kindOf(one) === 'object' ? { ...inner, struct } : inner))
        : mismatch(property, item, { ...inner, struct })
    }
    return typeof additionalProperties === 'object' ? mismatch(additionalProperties, item, deeper(place)) : undefined
  })
}

const deeper = (place: Place): Place => ({ ...place, depth: place.depth + 1 })

const firstOf = <T>(items: readonly T[], describe: (item: T) => string | undefined): string | undefined => {
  for (const item of items) {
    const found = describe(item)
    if (found) return found
  }
  return undefined
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const expectedKind = ({ type }: StructuralSchema): string => {
  if (type === 'integer') return 'number'
  return type === 'boolean' ? 'bool' : (type ?? 'object')
}

const wrongType = (schema: StructuralSchema, value: unknown, { struct, path }: Place, detail = ''): string =>
  `json: cannot unmarshal ${kindOf(value)}${detail} into Go struct field ${struct}.${path} of type ${goType(schema, path)}`

const goType = (schema: StructuralSchema, path: string): string => {
  const name = path.slice(path.lastIndexOf('.') + 1)
  switch (schema.type) {
    case 'array':
      return `[]${path === 'spec.finalizers' ? 'v1.FinalizerName' : goType(schema.items ?? {}, path)}`
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return `map[string]${goType(schema.additionalProperties, path)}`
      return `v1.${structs[name] ?? 'ObjectMeta'}`
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64'
    case 'boolean':
      return 'bool'
    default:
      return schema.format === 'byte' ? '[]uint8' : 'string'
  }
}

const badFormat = ({ format }: StructuralSchema, value: string): string | undefined => {
  if (format === 'byte') return badBase64(value)
  if (format === 'date-time' && value !== '' && Number.isNaN(Date.parse(value)))
    return `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`
  return undefined
}

const badBase64 = (value: string): string | undefined => {
  const data = value.replace(/[\r\n]/g, '')
  const stray = data.search(/[^A-Za-z0-9+/]/)
  const padding = stray < 0 ? '' : data.slice(stray)
  if (stray >= 0 && !/^={1,2}$/.test(padding)) return `illegal base64 data at input byte ${stray}`
  const quantum = Math.floor((stray < 0 ? data.length : stray) / 4) * 4
  return data.length % 4 === 0 ? undefined : `illegal base64 data at input byte ${quantum}`
}
