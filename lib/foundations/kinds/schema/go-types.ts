/**
 * Kubernetes decodes metadata and its own kinds into Go types, and reports a value of another type with Go's message. Users know these
 * messages; the type names in them are Kubernetes'.
 */

import { maxDepth } from './depth.ts'
import type { StructuralSchema } from './schema.ts'

/** Names of structs by field, for messages only. */
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
  rules: 'PolicyRule',
  subjects: 'Subject',
  roleRef: 'RoleRef',
  aggregationRule: 'AggregationRule',
  spec: 'NamespaceSpec',
  status: 'NamespaceStatus',
  conditions: 'NamespaceCondition',
  preconditions: 'Preconditions',
}

/** Names of string types other than string, by field. */
const texts: Readonly<Record<string, string>> = { uid: 'types.UID', propagationPolicy: 'v1.DeletionPropagation' }

/** The message for the first value whose type differs from its schema; undefined if there is none. */
export const describeTypeMismatch = (schema: StructuralSchema, value: unknown, root: string): string | undefined =>
  mismatch(schema, value, { root, path: [] }, 0)

/** The position in the value: one object for the whole traversal, as every write goes through here. */
interface Place {
  /** The struct that the whole value is decoded into. */
  readonly root: string
  /** Names of fields, without map keys and indexes. */
  readonly path: string[]
}

const mismatch = (schema: StructuralSchema, value: unknown, place: Place, depth: number): string | undefined => {
  if (value === null || value === undefined || schema['x-kubernetes-preserve-unknown-fields']) return undefined
  if (depth > maxDepth) return `nested deeper than ${maxDepth} levels`
  // A quantity.
  if (!schema.type && schema.oneOf && (typeof value === 'number' || typeof value === 'string')) return undefined
  if (kindOf(value) !== expectedKind(schema)) return wrongType(schema, value, place)
  if (typeof value === 'number' && schema.type === 'integer' && !Number.isInteger(value))
    return wrongType(schema, value, place, ` ${value}`)
  if (typeof value === 'string') return invalidFormat(schema, value)
  if (Array.isArray(value)) return firstOf(value, item => mismatch(schema.items ?? {}, item, place, depth + 1))
  if (typeof value === 'object')
    return mismatchInObject(schema, value as Readonly<Record<string, unknown>>, place, depth + 1)
  return undefined
}

const mismatchInObject = (
  { properties, additionalProperties }: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  place: Place,
  depth: number,
): string | undefined =>
  firstOf(Object.keys(value), name => {
    if (!properties || !Object.hasOwn(properties, name))
      return typeof additionalProperties === 'object'
        ? mismatch(additionalProperties, value[name], place, depth)
        : undefined
    place.path.push(name)
    const found = mismatch(properties[name]!, value[name], place, depth)
    place.path.pop()
    return found
  })

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

const wrongType = (schema: StructuralSchema, value: unknown, { root, path }: Place, detail = ''): string => {
  const holder = structs[path.at(-2) ?? ''] ?? root
  const field = `${holder}.${path.join('.')}`
  return `json: cannot unmarshal ${kindOf(value)}${detail} into Go struct field ${field} of type ${goType(schema, path)}`
}

const goType = (schema: StructuralSchema, path: readonly string[]): string => {
  switch (schema.type) {
    case 'array':
      return `[]${path.join('.') === 'spec.finalizers' ? 'v1.FinalizerName' : goType(schema.items ?? {}, path)}`
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return `map[string]${goType(schema.additionalProperties, path)}`
      return `v1.${structs[path.at(-1) ?? ''] ?? 'ObjectMeta'}`
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64'
    case 'boolean':
      return 'bool'
    default:
      return schema.format === 'byte' ? '[]uint8' : (texts[path.at(-1) ?? ''] ?? 'string')
  }
}

const invalidFormat = ({ format }: StructuralSchema, value: string): string | undefined => {
  if (format === 'byte') return invalidBase64(value)
  if (format === 'date-time' && value !== '' && Number.isNaN(Date.parse(value)))
    return `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`
  return undefined
}

const invalidBase64 = (value: string): string | undefined => {
  const data = value.replace(/[\r\n]/g, '')
  const stray = data.search(/[^A-Za-z0-9+/]/)
  const padding = stray < 0 ? '' : data.slice(stray)
  if (stray >= 0 && !/^={1,2}$/.test(padding)) return `illegal base64 data at input byte ${stray}`
  const quantum = Math.floor((stray < 0 ? data.length : stray) / 4) * 4
  return data.length % 4 === 0 ? undefined : `illegal base64 data at input byte ${quantum}`
}
