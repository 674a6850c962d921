/** Conversions between types. */

import { SECOND } from '../../../foundations/go/duration.ts'
import { formatFloat } from '../../../foundations/go/format-float.ts'
import { parseBool } from '../../../foundations/go/parse-bool.ts'
import { parseFloat64 } from '../../../foundations/go/parse-float.ts'
import { evaluationError, noSuchOverload } from '../cel-error.ts'
import { CelType, Duration, int, Timestamp, timestamp, typeName, Uint, uint, type Value } from '../values.ts'
import type { Functions } from './function.ts'
import { durationText, parseDuration, parseTimestamp, timestampText } from './time.ts'

export const conversionFunctions: Functions = {
  'dyn(dyn): dyn': (value: Value) => value,
  'type(dyn): type': (value: Value) => new CelType(typeName(value)),
  'int(dyn): int': intOf,
  'uint(dyn): uint': uintOf,
  'double(dyn): double': doubleOf,
  'bool(dyn): bool': boolOf,
  'string(dyn): string': textOf,
  'bytes(dyn): bytes': (value: Value) => {
    if (value instanceof Uint8Array) return value
    if (typeof value === 'string') return Buffer.from(value)
    throw noConversion('bytes', value)
  },
  'duration(dyn): google.protobuf.Duration': (value: Value) => {
    if (value instanceof Duration) return value
    if (typeof value === 'string') return parseDuration(value)
    if (typeof value === 'bigint') throw wrong(value, 'google.protobuf.Duration')
    throw noConversion('duration', value)
  },
  'timestamp(dyn): google.protobuf.Timestamp': (value: Value) => {
    if (value instanceof Timestamp) return value
    if (typeof value === 'bigint') return timestamp(value * SECOND)
    if (typeof value === 'string') return parseTimestamp(value)
    throw noConversion('timestamp', value)
  },
}

/** Names of the type conversion functions: cel-go evaluates them at compile time if the argument is constant. */
export const conversions: ReadonlySet<string> = new Set(
  Object.keys(conversionFunctions).map(signature => signature.slice(0, signature.indexOf('('))),
)

const noConversion = (name: string, value: Value) => noSuchOverload(`${name}(${typeName(value)})`)

const wrong = (value: Value, to: string) =>
  evaluationError(`type conversion error from '${typeName(value)}' to '${to}'`)

function intOf(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return int(value.value)
  if (value instanceof Timestamp) return value.seconds
  if (value instanceof Duration) return value.ns
  // cel-go also refuses the smallest integer.
  if (typeof value === 'number') return int(truncated(value, -(2 ** 63) < value, 'integer overflow'))
  if (typeof value !== 'string') throw noConversion('int', value)
  return integerIn(value, /^[+-]?\d+$/, 'int', int)
}

function uintOf(value: Value): Uint {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return uint(value)
  if (typeof value === 'number') return uint(truncated(value, value >= 0, 'unsigned integer overflow'))
  if (typeof value !== 'string') throw noConversion('uint', value)
  return integerIn(value, /^\d+$/, 'uint', uint)
}

const integerIn = <T>(text: string, form: RegExp, type: string, bounded: (value: bigint) => T): T => {
  if (!form.test(text)) throw wrong(text, type)
  try {
    return bounded(BigInt(text))
  } catch {
    throw wrong(text, type)
  }
}

const truncated = (value: number, hasRoom: boolean, overflow: string): bigint => {
  if (!Number.isFinite(value) || !hasRoom) throw evaluationError(overflow)
  return BigInt(Math.trunc(value))
}

function doubleOf(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value !== 'string') throw noConversion('double', value)
  const number = parseFloat64(value)
  // Infinity that was not written as such: the number is too large.
  if (number === undefined || (!Number.isFinite(number) && /\d/.test(value))) throw wrong(value, 'double')
  return number
}

function boolOf(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') throw noConversion('bool', value)
  const bool = parseBool(value)
  if (bool === undefined) throw wrong(value, 'bool')
  return bool
}

/** `string(...)`. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return formatFloat(value, 'g', -1)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (!(value instanceof Uint8Array)) throw noConversion('string', value)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch {
    throw evaluationError('invalid UTF-8 in bytes, cannot convert to string')
  }
}
