import { Struct, type Value } from './value.ts'

const MAX_CHARACTERS = 64 * 1024 * 1024
/** The weight of each value, in addition to its characters. */
const WEIGHT = 64
const MAX_DEPTH = 500

/** The value is too large, or too deeply nested, to be traversed. */
export class UnboundedValue extends Error {}

/**
 * Throws before a value is written, copied or compared as a whole, if it would take too long: with a few calls of `set`, a map can contain
 * itself, or twice the previous one, and so on.
 */
export const requireBounded = (value: Value): void => {
  let left = MAX_CHARACTERS
  const visit = (item: Value, depth: number): void => {
    left -= typeof item === 'string' ? item.length + WEIGHT : WEIGHT
    if (left < 0) throw new UnboundedValue(`value has more than ${MAX_CHARACTERS} characters`)
    if (typeof item !== 'object' || item === null) return
    if (depth > MAX_DEPTH) throw new UnboundedValue('value is nested too deeply')
    if (Array.isArray(item)) for (const each of item) visit(each, depth + 1)
    else if (item instanceof Map) for (const each of item.values()) visit(each, depth + 1)
    else if (item instanceof Struct) for (const each of item.fields.values()) visit(each, depth + 1)
  }
  if (typeof value === 'object') visit(value, 0)
}
