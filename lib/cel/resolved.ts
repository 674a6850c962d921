import { CelType, Optional, type Value } from './values.ts'

/**
 * What a name or a choice stands for. cel-go turns such values to Go's and back, which leaves of optional values within
 * optional ones the innermost, and of types their names.
 */
export const resolved = (value: Value): Value => {
  if (!(value instanceof Optional) || value.value === undefined) return value
  const inner = native(value.value)
  return inner === value.value ? value : new Optional(inner)
}

const native = (value: Value): Value => {
  if (value instanceof Optional) return value.value === undefined ? null : native(value.value)
  return value instanceof CelType ? value.name : value
}
