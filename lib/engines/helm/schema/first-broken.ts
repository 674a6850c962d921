import { formatValue } from '../../template/format/format-value.ts'
import type { Value } from '../../template/values/value.ts'
import { isEqual, isPrimitive, isWhole, typeOf } from './json-equality.ts'
import type { Schema } from './schema.ts'
import { quoted } from './violation.ts'

/** Rules of which only the first broken one is reported: its message, or undefined if all hold. */
export const firstViolation = (schema: Schema, value: Value): string | undefined => {
  const { types, const: only, enum: choices, format } = schema
  const type = typeOf(value)
  if (types && !types.includes(type) && !(type === 'number' && types.includes('integer') && isWhole(value)))
    return `got ${type}, want ${types.join(' or ')}`
  if (only && !isEqual(value, only.value))
    return isPrimitive(only.value) ? `value must be ${display(only.value)}` : "'const' failed"
  if (choices && !choices.some(choice => isEqual(value, choice))) {
    if (!choices.every(isPrimitive)) return "'enum' failed"
    return `value must be ${choices.length === 1 ? '' : 'one of '}${choices.map(display).join(', ')}`
  }
  const problem = format && typeof value === 'string' ? format.problemOf(value) : undefined
  return problem === undefined ? undefined : `${display(value)} is not valid ${format!.name}: ${problem}`
}

/** Formats numbers as schemas usually write them. */
const display = (value: Value): string => {
  if (typeof value === 'string') return quoted(value)
  return value === null ? '<nil>' : Number.isInteger(value) ? String(value) : formatValue(value)
}
