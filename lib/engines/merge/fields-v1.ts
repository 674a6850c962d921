/** Field sets as stored in managedFields (`fieldsV1`), and paths as they appear in messages. */
import { compareText } from '../../foundations/go/compare-text.ts'
import type { Element, FieldSet } from './field-set.ts'
import { compareElements, fieldSet, isEmpty, leaf } from './field-set.ts'

/** FieldsV1: keys are elements, `.` is the field itself; a field without anything below is `{}`. */
export type FieldsV1 = { readonly [element: Element]: FieldsV1 }

/** Deeper sets are refused: no real object is nested this deeply. */
const deepest = 256

/** Encoded here: another encoder may use another order or notation. */
const encoded = new WeakSet<FieldsV1>()
/** For sets decoded from what was encoded here: most are encoded again unchanged. */
const encodedAs = new WeakMap<FieldSet, FieldsV1>()

/**
 * The set as an API server writes it into `managedFields`. A set that was decoded from it and has not changed is that
 * value again.
 */
export const encodeFields = (set: FieldSet): FieldsV1 => {
  const known = encodedAs.get(set)
  if (known) return known
  const fields = encodeBelow(set)
  encoded.add(fields)
  return fields
}

const encodeBelow = (set: FieldSet): FieldsV1 => {
  const fields: Record<Element, FieldsV1> = {}
  if (set.self && set.below.size > 0) fields['.'] = {}
  for (const element of [...set.below.keys()].sort(compareElements))
    fields[element] = encodeBelow(set.below.get(element)!)
  return fields
}

/** Undefined if it is not valid FieldsV1: clients send it, so it may be anything. */
export const decodeFields = (fields: unknown): FieldSet | undefined => {
  try {
    const set = decodeBelow(fields, 0)
    if (encoded.has(fields as FieldsV1)) encodedAs.set(set, fields as FieldsV1)
    return set
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

class Malformed extends Error {}

const decodeBelow = (fields: unknown, depth: number): FieldSet => {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields) || depth > deepest) throw new Malformed()
  const below = new Map<Element, FieldSet>()
  let self = false
  for (const [element, inner] of Object.entries(fields)) {
    if (element === '.') self = true
    else {
      const set = decodeBelow(inner, depth + 1)
      below.set(canonical(element), isEmpty(set) ? leaf : set)
    }
  }
  return fieldSet(self, below)
}

const canonical = (element: string): Element => {
  const content = element.slice(2)
  switch (element.slice(0, 2)) {
    case 'f:':
      return element
    case 'v:':
      return valueElement(parsed(content))
    case 'k:': {
      const keys = parsed(content)
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw new Malformed()
      return keyElement(Object.entries(keys))
    }
    case 'i:':
      if (/^\d{1,9}$/.test(content)) return element
  }
  throw new Malformed()
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    throw new Malformed()
  }
}

/** The element of a set for a field of an object; those of list items begin with `k:`, `v:` or `i:`. */
export const fieldElement = (name: string): Element => `f:${name}`

/** A set item, by its value. */
export const valueElement = (value: unknown): Element => `v:${JSON.stringify(value)}`

/** An item of an associative list, by its key fields. */
export const keyElement = (keys: readonly (readonly [string, unknown])[]): Element => {
  const sorted = [...keys].sort(([a], [b]) => compareText(a, b))
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
}

/** A path as in conflict messages: `.spec.containers[name="web"].args[="-v"]`. */
export const describePath = (path: readonly Element[]): string => path.map(describeElement).join('')

const describeElement = (element: Element): string => {
  const content = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${content}`
    case 'v':
      return `[=${content}]`
    case 'k': {
      const keys = Object.entries(JSON.parse(content))
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`
    }
    default:
      return `[${content}]`
  }
}
