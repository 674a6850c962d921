/** The rules that Secrets and ConfigMaps share. */

import type { FieldError } from './schema/field-error.ts'
import { forbidden, invalid } from './schema/field-error.ts'
import { isSameJson } from './schema/same-json.ts'

/** Maximum size of the data of one Secret or ConfigMap, in bytes. */
export const maxDataBytes = 1024 * 1024

type Data = Readonly<Record<string, string>>

/**
 * The errors of keys: at most 253 bytes of letters, digits, `-`, `_` and `.`, and not `.`, `..` or a name that begins
 * with `..`. `field` is where the keys are: `data`, `stringData`.
 */
export const checkKeys = (field: string, data: Data): FieldError[] =>
  Object.keys(data).flatMap(key => checkKey(key).map(problem => invalid(`${field}[${key}]`, key, problem)))

const checkKey = (key: string): string[] => {
  const problems: string[] = []
  if (Buffer.byteLength(key) > 253) problems.push('must be no more than 253 characters')
  if (!/^[-._a-zA-Z0-9]+$/.test(key))
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    )
  if (key === '.') problems.push("must not be '.'")
  else if (key === '..') problems.push("must not be '..'")
  else if (key.startsWith('..')) problems.push("must not start with '..'")
  return problems
}

/** Bytes of base64 data. */
export const decodedSize = (data: Data): number =>
  Object.values(data).reduce((size, value) => size + Buffer.byteLength(value, 'base64'), 0)

interface Immutable {
  readonly immutable?: boolean
  readonly [field: string]: unknown
}

/** Immutable data must not change, nor the mark be removed. */
export const checkImmutable = (
  object: Immutable,
  old: Immutable | undefined,
  fields: readonly string[],
): FieldError[] => {
  if (old?.immutable !== true) return []
  const why = 'field is immutable when `immutable` is set'
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', why)]),
    ...fields.filter(field => !isSameJson(object[field] ?? {}, old[field] ?? {})).map(field => forbidden(field, why)),
  ]
}
