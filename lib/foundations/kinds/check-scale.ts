/** Checks that the fields of a scale subresource are numbers, with Kubernetes' messages. */

import { isObject } from './json-object.ts'
import type { ScalePaths } from './kind.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid } from './schema/field-error.ts'

/**
 * The errors of an object's `specReplicasPath` and `statusReplicasPath`: each is absent, or an integer from 0 to 2^31 -
 * 1. None without a scale subresource.
 */
export const checkScale = (scale: ScalePaths | undefined, object: unknown): FieldError[] =>
  scale ? [scale.specReplicasPath, scale.statusReplicasPath].flatMap(path => checkNumber(path, object)) : []

const checkNumber = (path: string, object: unknown): FieldError[] => {
  const value = valueAt(path, object)
  if (value === undefined || value === null) return []
  if (typeof value !== 'number' || !Number.isInteger(value))
    return [
      invalid(
        path,
        0,
        `${path} accessor error: ${typeof value === 'string' ? value : JSON.stringify(value)} is of the type ${goType(value)}, expected int64`,
      ),
    ]
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')]
  return value > 2 ** 31 - 1 ? [invalid(path, value, `should be less than or equal to ${2 ** 31 - 1}`)] : []
}

const goType = (value: unknown): string => {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float64'
  if (Array.isArray(value)) return '[]interface {}'
  return typeof value === 'string' ? 'string' : 'map[string]interface {}'
}

/** `path` is a simple path: `.spec.replicas`. */
export const valueAt = (path: string, object: unknown): unknown =>
  path
    .slice(1)
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), object)
