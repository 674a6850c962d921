/** Conversions between types. */
import { evaluationError, noSuchOverload } from '../cel-error.ts'
import { CelType, Duration, int, Timestamp, typeName, Uint, uint, type Value } from '../values.ts'
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
    throw noSuchOverload()
  },
  'duration(dyn): google.protobuf.Duration': (value: Value) => {
    if (value instanceof Duration) return value
    if (typeof value === 'bigint') return new Duration(value)
    if (typeof value === 'string') return parseDuration(value)
    throw noSuchOverload()
  },
  'timestamp(dyn): google.protobuf.Timestamp': (value: Value) => {
    if (value instanceof Timestamp) return value
    if (typeof value === 'bigint') return new Timestamp(value * 1_000_000_000n)
    if (typeof value === 'string') return parseTimestamp(value)
    throw noSuchOverload()
  },
}

/** Names of the functions that turn a value into one of another type: of a constant, they are evaluated beforehand. */
export const conversions: ReadonlySet<string> = new Set(
  Object.keys(conversionFunctions).map(signature => signature.slice(0, signature.indexOf('('))),
)

const wrongText = (to: string) => evaluationError(`type conversion error from 'string' to '${to}'`)

function intOf(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return int(value.value)
  if (value instanceof Timestamp) return value.ns / 1_000_000_000n
  if (value instanceof Duration) return value.ns
  if (typeof value === 'number') return int(truncated(value))
  if (typeof value !== 'string') throw noSuchOverload()
  if (!/^[+-]?\d+$/.test(value)) throw wrongText('int')
  try {
    return int(BigInt(value.replace('+', '')))
  } catch {
    throw wrongText('int')
  }
}

function uintOf(value: Value): Uint {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return uint(value)
  if (typeof value === 'number') return uint(truncated(value))
  if (typeof value !== 'string') throw noSuchOverload()
  if (!/^\d+$/.test(value)) throw wrongText('uint')
  return uint(BigInt(value))
}

const truncated = (value: number): bigint => {
  if (!Number.isFinite(value)) throw evaluationError('integer overflow')
  return BigInt(Math.trunc(value))
}

const namedNumbers: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['+inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['+infinity', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
  ['nan', Number.NaN],
])

function doubleOf(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value !== 'string') throw noSuchOverload()
  const named = namedNumbers.get(value.toLowerCase())
  if (named !== undefined) return named
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) throw wrongText('double')
  return Number(value)
}

function boolOf(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') throw noSuchOverload()
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false
  throw wrongText('bool')
}

/** `string(...)`. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return doubleText(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof CelType) return value.name
  if (!(value instanceof Uint8Array)) throw noSuchOverload()
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch {
    throw evaluationError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

/** As Go's shortest `%g`: with an exponent, of two digits at least, below -4 and from 21 on. */
const doubleText = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= 21 || power < -4) return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
  return Object.is(value, -0) ? '-0' : String(value)
}
