import { formatFloat } from '../../foundations/go/format-float.ts'
import type { JsonValue } from './json-value.ts'

/**
 * Converts numbers and booleans to text for a field of type string, as sigs.k8s.io/yaml does. undefined for other values, which are then
 * refused. Assumes that a whole number was written without decimal point and exponent.
 */
export const scalarText = (value: JsonValue): string | undefined => {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return Number.isSafeInteger(value) ? String(value) : formatFloat(value, 'g', -1)
  }
  return undefined
}
