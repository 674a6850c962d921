import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import { Branch, Comment, type SopsValue, Timestamp } from './tree.ts'

/** Converts an object to a document; whole numbers become integers. */
export const treeOf = (object: JsonObject): Branch =>
  new Branch(Object.entries(object).map(([key, value]) => ({ key, value: toTree(value) })))

const toTree = (value: JsonValue): SopsValue => {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.map(toTree) : treeOf(value as JsonObject)
}

/** Converts a document to an object, as if its JSON were parsed; comments are lost. */
export const objectOf = ({ items }: Branch): JsonObject => {
  const fields = items.flatMap(({ key, value }) => (typeof key === 'string' ? [[key, toJson(value)] as const] : []))
  return Object.fromEntries(fields)
}

const toJson = (value: SopsValue): JsonValue => {
  if (value instanceof Branch) return objectOf(value)
  if (Array.isArray(value)) return value.filter((item: SopsValue) => !(item instanceof Comment)).map(toJson)
  if (value instanceof Timestamp) return value.text
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : value
  return value instanceof Comment ? null : (value as JsonValue)
}

const isSafe = (value: bigint): boolean => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
