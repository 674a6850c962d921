/** Drops the fields that a schema does not declare, and lists them. */

import { maxDepth } from './depth.ts'
import type { StructuralSchema } from './schema.ts'

export interface Pruned<T> {
  /** The value without unknown fields; shares unchanged parts. */
  readonly value: T
  /** Paths of dropped fields, sorted: `spec.dependsOn[0].nam`. */
  readonly unknown: readonly string[]
}

/** `schema` describes the whole object (`wholeSchema`). */
export const prune = <T>(schema: StructuralSchema, value: T): Pruned<T> => {
  const unknown: string[] = []
  const kept = pruned(schema, value, '', 0, unknown) as T
  return { value: kept, unknown: unknown.sort() }
}

const pruned = (schema: StructuralSchema, value: unknown, path: string, depth: number, unknown: string[]): unknown => {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return value
    const kept = value.map((item, index) => pruned(items, item, `${path}[${index}]`, depth + 1, unknown))
    return kept.some((item, index) => item !== value[index]) ? kept : value
  }
  return prunedObject(schema, value as Readonly<Record<string, unknown>>, path, depth, unknown)
}

const prunedObject = (
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
  unknown: string[],
): unknown => {
  const { properties = {}, additionalProperties } = schema
  let kept: Map<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const item = value[name]
    const at = path ? `${path}.${name}` : name
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (known || schema['x-kubernetes-preserve-unknown-fields']) {
      const keep = typeof known === 'object' ? pruned(known, item, at, depth + 1, unknown) : item
      if (keep === item) continue
      kept ??= new Map(Object.entries(value))
      kept.set(name, keep)
    } else {
      kept ??= new Map(Object.entries(value))
      kept.delete(name)
      unknown.push(at)
    }
  }
  return kept ? Object.fromEntries(kept) : value
}

/** An API server's warnings for unknown fields (`Warn`). */
export const unknownFieldWarnings = (unknown: readonly string[]): string[] =>
  unknown.map(field => `unknown field "${field}"`)

/** An API server's error for unknown fields (`Strict`). */
export const strictDecodingError = (unknown: readonly string[]): string =>
  `strict decoding error: ${unknownFieldWarnings(unknown).join(', ')}`
