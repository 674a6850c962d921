import { formatFloat } from '../../foundations/go/format-float.ts'
import type { JsonValue } from './json-value.ts'

/**
 * What sigs.k8s.io/yaml gives a field of type string: numbers and booleans become text. undefined for what stays as it is, which is
 * then refused. A whole number is taken to have been written without a point and an exponent.
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
