import { Struct, type Value } from './value.ts'

const MOST_CHARACTERS = 64 * 1024 * 1024
/** What each value counts besides its characters. */
const WEIGHT = 64
const MAX_DEPTH = 500

/** A value that is too large, or nested too deeply, to be walked. */
export class UnboundedValue extends Error {}

/**
 * Throws before a value is written, copied or compared in whole that would take forever: a few steps of `set` make a map
 * that holds itself, or one that holds two of the one before, and so on.
 */
export const requireBounded = (value: Value): void => {
  let left = MOST_CHARACTERS
  const visit = (item: Value, depth: number): void => {
    left -= typeof item === 'string' ? item.length + WEIGHT : WEIGHT
    if (left < 0) throw new UnboundedValue(`value has more than ${MOST_CHARACTERS} characters`)
    if (typeof item !== 'object' || item === null) return
    if (depth > MAX_DEPTH) throw new UnboundedValue('value is nested too deeply')
    if (Array.isArray(item)) for (const each of item) visit(each, depth + 1)
    else if (item instanceof Map) for (const each of item.values()) visit(each, depth + 1)
    else if (item instanceof Struct) for (const each of item.fields.values()) visit(each, depth + 1)
  }
  if (typeof value === 'object') visit(value, 0)
}
