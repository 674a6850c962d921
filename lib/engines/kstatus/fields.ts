import { KStatusError } from './result.ts'

/** Reads a field by its dotted path; undefined if any part of the path is missing or not a mapping. */
export const fieldAt = (object: unknown, path: string): unknown => {
  let value = object
  for (const name of path.split('.'))
    value = Object.hasOwn(Object(value), name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return value
}

/** The whole number at a dotted path; `fallback` for anything else. */
export const integerAt = <D extends number | undefined>(object: unknown, path: string, fallback: D): number | D => {
  const value = fieldAt(object, path)
  return Number.isInteger(value) ? (value as number) : fallback
}

/** The string at a dotted path; `fallback` for anything else. */
export const textAt = (object: unknown, path: string, fallback = ''): string => {
  const value = fieldAt(object, path)
  return typeof value === 'string' ? value : fallback
}

/** As integerAt, but a value of another type on the path is an error, worded as in client-go (for paths of two names). */
export const strictIntegerAt = (object: unknown, path: string): number | undefined => {
  let value = object
  for (const name of path.split('.')) {
    if (value === undefined || value === null) return undefined
    if (goKind(value) !== 'map') throw accessError(path, value, 'map[string]interface{}')
    value = fieldAt(value, name)
  }
  if (value === undefined || goKind(value) === 'int64') return value as number | undefined
  throw accessError(path, value, 'int64')
}

const accessError = (path: string, value: unknown, expected: string): KStatusError => {
  const kind = goKind(value)
  const type = { map: 'map[string]interface {}', slice: '[]interface {}' }[kind as string] ?? kind
  return new KStatusError(
    `looking up ${path} from resource: .${path} accessor error: ${goText(value)} is of the type ${type}, expected ${expected}`,
  )
}

/** A JSON value as Go prints it. */
const goText = (value: unknown): string => {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value).map(([name, item]) => `${name}:${goText(item)}`)
  return `map[${entries.sort().join(' ')}]`
}

/** Go's reflect kind of a JSON value. */
const goKind = (value: unknown): string => {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return 'slice'
  if (typeof value === 'object') return 'map'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

export interface StatusCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** `status.conditions`; anything but a list of mappings is an error, worded as in client-go. */
export const conditionsOf = (object: unknown): readonly StatusCondition[] => {
  const status = fieldAt(object, 'status') ?? {}
  if (goKind(status) !== 'map') throw new KStatusError(`cannot restore struct from: ${goKind(status)}`)
  const conditions = fieldAt(status, 'conditions') ?? []
  if (!Array.isArray(conditions)) throw new KStatusError(`cannot restore slice from ${goKind(conditions)}`)
  return conditions.map((condition: unknown) => {
    if (goKind(condition ?? {}) !== 'map') throw new KStatusError(`cannot restore struct from: ${goKind(condition)}`)
    return {
      type: conditionText(condition, 'type'),
      status: conditionText(condition, 'status'),
      reason: conditionText(condition, 'reason'),
      message: conditionText(condition, 'message'),
    }
  })
}

const conditionText = (condition: unknown, field: keyof StatusCondition): string => {
  const value = fieldAt(condition, field) ?? ''
  if (typeof value === 'string') return value
  if (goKind(value) !== 'int64') throw new KStatusError('unrecognized type: string')
  throw new KStatusError(`cannot convert int64 to ${field === 'status' ? 'v1.ConditionStatus' : 'string'}`)
}

export const hasCondition = (conditions: readonly StatusCondition[], type: string, status: string): boolean =>
  conditions.some(condition => condition.type === type && condition.status === status)
