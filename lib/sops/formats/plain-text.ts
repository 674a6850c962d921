import { formatGoFloat } from '../../yaml/go-number.ts'
import { SopsError } from '../sops-error.ts'
import { type SopsValue, Timestamp } from '../tree.ts'

/** A scalar as sops encrypts and authenticates it; undefined for null, comments, lists and mappings. */
export const plainText = (value: SopsValue): string | Uint8Array | undefined => {
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return decimal(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value instanceof Timestamp ? value.text : undefined
}

/** strconv.FormatFloat(value, 'f', -1, 64): the shortest digits that mean this number, without an exponent. */
const decimal = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [mantissa, exponent] = String(value).split('e') as [string, string?]
  if (exponent === undefined) return mantissa
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  const power = Number(exponent)
  return exponent.startsWith('-')
    ? `${sign}0.${'0'.repeat(-power - 1)}${digits}`
    : `${sign}${digits.padEnd(power + 1, '0')}`
}

/** A scalar as formats write it that hold nothing but text. Fails with SopsError for lists and mappings. */
export const requireBytes = (value: SopsValue, key: string): Buffer => {
  const text = textOf(value)
  if (text === undefined) throw new SopsError('format', `cannot use complex value; offending key ${key}`, { key })
  return Buffer.from(text)
}

const textOf = (value: SopsValue): string | Uint8Array | undefined => {
  if (value === null) return ''
  if (typeof value === 'boolean') return String(value)
  if (Number.isFinite(value)) return withPoint(formatGoFloat(value as number).replace('e', 'E'))
  return plainText(value)
}

/** A float never looks like an integer. */
const withPoint = (text: string): string => (/[.E]/.test(text) ? text : `${text}.0`)
