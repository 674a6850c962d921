import { quote } from '../../go/quote.ts'
import { describeKind } from '../object.ts'

/** An error in a field, with an API server's message. Each one is also a cause in a Status' details. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** `spec.dependsOn[0].name`. */
  readonly field: string
  /** Without the field: `Invalid value: "x": must be ...`. */
  readonly message: string
}

const titles = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
} as const

export type FieldErrorReason = keyof typeof titles

const fieldError = (reason: FieldErrorReason, field: string, ...details: string[]): FieldError => ({
  reason,
  field,
  message: [titles[reason], ...details.filter(detail => detail !== '')].join(': '),
})

/**
 * For a field that is missing or empty. All these errors are those of Kubernetes' `field` package; `detail` says what
 * is expected.
 */
export const required = (field: string, detail = '') => fieldError('FieldValueRequired', field, detail)

/** For a value of the right type that is malformed or out of range. */
export const invalid = (field: string, value: unknown, detail: string) =>
  fieldError('FieldValueInvalid', field, shown(value), detail)

/** For a value that breaks a rule: the message is the rule's own. */
export const ruleBroken = (reason: FieldErrorReason, field: string, message: string) =>
  fieldError(reason, field, message)

/**
 * For a value of the wrong type or format. The message begins like that of `invalid`, and the reason in the Status
 * differs.
 */
export const wrongType = (field: string, value: unknown, detail: string) =>
  fieldError('FieldValueTypeInvalid', field, shown(value), detail)

/** For a value that is not one of a closed list. */
export const unsupported = (field: string, value: unknown, supported: readonly string[]) =>
  fieldError('FieldValueNotSupported', field, shown(value), `supported values: ${supported.map(quote).join(', ')}`)

/** For an item of a set or map that occurs twice. `value` is the item, or its keys. */
export const duplicate = (field: string, value: unknown) => fieldError('FieldValueDuplicate', field, shown(value))

/** For a field that may not be set, or not be changed, in this state; the message does not quote its value. */
export const forbidden = (field: string, detail: string) => fieldError('FieldValueForbidden', field, detail)

/**
 * For data or text above a limit. The message says bytes also where `max` counts characters (`maxLength`), as
 * Kubernetes' does.
 */
export const tooLong = (field: string, max: number) =>
  fieldError('FieldValueTooLong', field, `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`)

/** For a list or map with `actual` items, where `max` are allowed. */
export const tooMany = (field: string, actual: number, max: number) =>
  fieldError('FieldValueTooMany', field, `${actual}`, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`)

/** A summary for people: `Kustomization.kustomize.toolkit.fluxcd.io "app" is invalid: [a, b]`; without duplicates. */
export const describeInvalid = (
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): string => {
  const qualified = describeKind(kind)
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  return `${qualified} ${quote(name)} is invalid: ${lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`}`
}

/** A value as Go prints it in such an error: strings quoted, the rest as JSON. */
const shown = (value: unknown): string => (typeof value === 'string' ? quote(value) : goJson(value))

/** JSON as Go writes it, with `<`, `>` and `&` escaped. */
const goJson = (value: unknown): string =>
  JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A list as Go's `%q` prints it. */
export const goList = (items: readonly string[]): string => `[${items.map(quote).join(' ')}]`
