import { CelType, Optional, type Value } from './values.ts'

/**
 * What a name or a choice stands for. cel-go turns such values to Go's and back, which leaves of optional values within
 * optional ones the innermost, and of types their names.
 */
export const resolved = (value: Value): Value => (value instanceof Optional ? new Optional(native(value.value)) : value)

const native = (value: Value | undefined): Value | undefined => {
  if (value instanceof Optional) return native(value.value) ?? null
  return value instanceof CelType ? value.name : value
}
