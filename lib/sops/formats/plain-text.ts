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
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [mantissa = '', exponent] = String(value).split('e')
  if (exponent === undefined) return mantissa
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d)\.?(\d*)$/.exec(mantissa) ?? []
  const power = Number(exponent)
  return power < 0
    ? `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}`
    : `${sign}${(whole + fraction).padEnd(power + 1, '0')}`
}

/** A scalar as formats write it that hold nothing but text. Fails with SopsError for lists and mappings. */
export const requireText = (value: SopsValue, key: string): string => {
  if (value === null) return ''
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return withPoint(formatGoFloat(value).replace('e', 'E'))
  const text = plainText(value)
  if (text === undefined) throw new SopsError('format', `cannot use complex value; offending key ${key}`, { key })
  return typeof text === 'string' ? text : new TextDecoder().decode(text)
}

/** A float never looks like an integer. */
const withPoint = (text: string): string => (/[.E]/.test(text) ? text : `${text}.0`)
