import { formatFloat } from '../../../foundations/go/format-float.ts'
import { SopsError } from '../sops-error.ts'
import { type SopsValue, Timestamp } from '../tree.ts'

/** A scalar as sops encrypts and authenticates it; undefined for null, comments, lists and mappings. */
export const plainText = (value: SopsValue): string | Uint8Array | undefined => {
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return formatFloat(value, 'f', -1)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value instanceof Timestamp ? value.text : undefined
}

/** A scalar for formats that hold only text. Fails with SopsError for lists and mappings. */
export const requireBytes = (value: SopsValue, key: string): Buffer => {
  const text = textOf(value)
  if (text === undefined) throw new SopsError('format', `cannot use complex value; offending key ${key}`, { key })
  return Buffer.from(text)
}

const textOf = (value: SopsValue): string | Uint8Array | undefined => {
  if (value === null) return ''
  if (typeof value === 'boolean') return String(value)
  if (Number.isFinite(value)) return withPoint(formatFloat(value as number, 'g', -1).replace('e', 'E'))
  return plainText(value)
}

/** Adds a decimal point, so that a float never looks like an integer. */
const withPoint = (text: string): string => (/[.E]/.test(text) ? text : `${text}.0`)
