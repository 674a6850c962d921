import { formatFloat } from '../../../foundations/go/format-float.ts'
import { Bytes } from '../values/bytes.ts'
import { requireBounded } from '../values/require-bounded.ts'
import { sortedKeys } from '../values/text.ts'
import { Complex, Int, Struct, typeNameOf, type Value } from '../values/value.ts'

/** A value as fmt prints it with %v: lists in brackets, maps in key order, nil as <nil>. */
export const formatValue = (value: Value): string => {
  requireBounded(value)
  return format(value)
}

const format = (value: Value): string => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return formatFloat(value, 'g', -1)
  }
  if (Array.isArray(value)) return `[${value.map(format).join(' ')}]`
  if (value instanceof Map)
    return `map[${sortedKeys(value)
      .map(key => `${key}:${format(value.get(key))}`)
      .join(' ')}]`
  if (value instanceof Int) return String(value.value)
  if (value instanceof Complex) return formatComplex(value)
  if (value instanceof Bytes) return `[${value.data.join(' ')}]`
  if (value instanceof Struct) return value.text ? value.text() : formatFields(value)
  return typeNameOf(value)
}

const formatComplex = ({ real, imaginary }: Complex): string => {
  const second = formatFloat(imaginary, 'g', -1)
  return `(${formatFloat(real, 'g', -1)}${second.startsWith('-') ? '' : '+'}${second}i)`
}

const formatFields = ({ fields }: Struct): string => `{${[...fields.values()].map(format).join(' ')}}`

/** fmt.Sprint: adds a space between two operands if neither is a string. */
export const sprint = (values: readonly Value[]): string => {
  let out = ''
  values.forEach((value, i) => {
    if (i > 0 && typeof value !== 'string' && typeof values[i - 1] !== 'string') out += ' '
    out += formatValue(value)
  })
  return out
}

/** fmt.Sprintln. */
export const sprintln = (values: readonly Value[]): string => `${values.map(formatValue).join(' ')}\n`
