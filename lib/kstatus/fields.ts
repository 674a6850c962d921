import { KStatusError } from './result.ts'

/** Reads a field by its dotted path; undefined when any part of the path is missing or no mapping. */
export const fieldAt = (object: unknown, path: string): unknown => {
  let value = object
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

export const integerAt = <D extends number | undefined>(object: unknown, path: string, fallback: D): number | D => {
  const value = fieldAt(object, path)
  return typeof value === 'number' && Number.isInteger(value) ? value : fallback
}

export const textAt = (object: unknown, path: string, fallback = ''): string => {
  const value = fieldAt(object, path)
  return typeof value === 'string' ? value : fallback
}

/** As integerAt, but a value of another type is an error, as in kstatus. */
export const strictIntegerAt = (object: unknown, path: string): number | undefined => {
  const value = fieldAt(object, path)
  if (value === undefined || value === null || (typeof value === 'number' && Number.isInteger(value)))
    return value ?? undefined
  throw new KStatusError(
    `looking up ${path} from resource: .${path} accessor error: ${String(value)} is of the type ${goType(value)}, expected int64`,
  )
}

const goType = (value: unknown): string => {
  if (typeof value === 'number') return 'float64'
  if (typeof value === 'boolean') return 'bool'
  if (Array.isArray(value)) return '[]interface {}'
  return typeof value === 'string' ? 'string' : 'map[string]interface {}'
}

export interface StatusCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** `status.conditions`; a list of anything else is an error. */
export const conditionsOf = (object: unknown): readonly StatusCondition[] => {
  const conditions = fieldAt(object, 'status.conditions')
  if (conditions === undefined || conditions === null) return []
  if (!Array.isArray(conditions)) throw new KStatusError('status.conditions is not a list')
  return conditions.map((condition: unknown) => {
    if (typeof condition !== 'object' || condition === null)
      throw new KStatusError('status.conditions: an entry is not a mapping')
    return {
      type: textAt(condition, 'type'),
      status: textAt(condition, 'status'),
      reason: textAt(condition, 'reason'),
      message: textAt(condition, 'message'),
    }
  })
}

export const hasCondition = (conditions: readonly StatusCondition[], type: string, status: string): boolean =>
  conditions.some(condition => condition.type === type && condition.status === status)
