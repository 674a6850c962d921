import { CelType, Optional, type Value } from './values.ts'

/**
 * The value of a name or conditional. cel-go converts such values to Go's and back, which keeps only the innermost of nested optionals,
 * and only the names of types.
 */
export const toNativeValue = (value: Value): Value =>
  value instanceof Optional ? new Optional(native(value.value)) : value

const native = (value: Value | undefined): Value | undefined => {
  if (value instanceof Optional) return native(value.value) ?? null
  return value instanceof CelType ? value.name : value
}
