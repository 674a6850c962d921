/** Fills in a schema's defaults, as an API server does when an object is written and when it is read. */

import { maxDepth } from './depth.ts'
import type { StructuralSchema } from './schema.ts'

/**
 * Returns the value with defaults; shares what is unchanged. A null that is not allowed counts as absent: it is replaced by the default, or
 * dropped. Values nested deeper than validation allows are unchanged.
 */
export const withDefaults = <T>(schema: StructuralSchema, value: T): T => completed(schema, value, 0) as T

const completed = (schema: StructuralSchema, value: unknown, depth: number): unknown => {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return value
  return Array.isArray(value)
    ? completedList(schema, value, depth)
    : completedObject(schema, value as Readonly<Record<string, unknown>>, depth)
}

const completedList = (schema: StructuralSchema, value: readonly unknown[], depth: number): unknown => {
  const { items } = schema
  if (!items) return value
  const filled = value.map(item => completed(items, isAbsent(items, item) ? defaultOf(items, item) : item, depth + 1))
  return filled.some((item, index) => item !== value[index]) ? filled : value
}

const completedObject = (
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  depth: number,
): unknown => {
  const { properties = none, additionalProperties } = schema
  let filled: Map<string, unknown> | undefined
  const set = (name: string, item: unknown) => {
    filled ??= new Map(Object.entries(value))
    if (item === undefined) filled.delete(name)
    else filled.set(name, item)
  }
  for (const name of defaultedIn(properties)) {
    const property = properties[name]!
    if (!Object.hasOwn(value, name)) set(name, completed(property, structuredClone(property.default), depth + 1))
  }
  for (const name of Object.keys(value)) {
    const item = value[name]
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (typeof known !== 'object') continue
    const complete = isAbsent(known, item) ? defaultOf(known, undefined) : completed(known, item, depth + 1)
    if (complete !== item) set(name, complete)
  }
  return filled ? Object.fromEntries(filled) : value
}

type Properties = NonNullable<StructuralSchema['properties']>

const none: Properties = {}

const defaulted = new WeakMap<Properties, readonly string[]>()

/** Names of the properties with a default, computed once per schema. */
const defaultedIn = (properties: Properties): readonly string[] => {
  const known = defaulted.get(properties)
  if (known) return known
  const found = Object.keys(properties).filter(name => properties[name]!.default !== undefined)
  defaulted.set(properties, found)
  return found
}

const isAbsent = (schema: StructuralSchema, value: unknown): boolean => value === null && !schema.nullable

const defaultOf = (schema: StructuralSchema, otherwise: unknown): unknown =>
  schema.default === undefined ? otherwise : structuredClone(schema.default)
