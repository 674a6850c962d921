/** The values of CEL. Integers are bigint, which keeps `int` and `double` apart. */
import { SECOND } from '../../foundations/go/duration.ts'
import { evaluationError } from './cel-error.ts'

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | CelType
  | Optional
  | List
  | CelMap
export type List = readonly Value[]
export type CelMap = ReadonlyMap<Value, Value>

export class Uint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** A moment, in nanoseconds since the epoch. Create with `timestamp`, which checks the bounds. */
export class Timestamp {
  readonly ns: bigint
  /** Offset of its time zone from UTC, in minutes. */
  readonly offset: number
  constructor(ns: bigint, offset = 0) {
    this.ns = ns
    this.offset = offset
  }

  /** Whole seconds since the epoch, and the remaining nanoseconds. */
  get seconds(): bigint {
    return (this.ns - this.fraction) / SECOND
  }

  get fraction(): bigint {
    return ((this.ns % SECOND) + SECOND) % SECOND
  }
}

export class Duration {
  readonly ns: bigint
  constructor(ns: bigint) {
    this.ns = ns
  }
}

export class CelType {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A value that may be absent (`a.?b`). */
export class Optional {
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
}

export const isList = (value: unknown): value is List => Array.isArray(value)
export const isMap = (value: unknown): value is CelMap => value instanceof Map

/** JSON data as CEL values: numbers without a fraction become `int` if they fit. */
export const celValue = (json: unknown, spend: (steps: number) => void = () => {}): Value => {
  spend(2)
  if (typeof json === 'number') return Number.isInteger(json) && isInt(BigInt(json)) ? BigInt(json) : json
  if (Array.isArray(json)) return json.map(item => celValue(item, spend))
  if (typeof json !== 'object' || json === null) return (json ?? null) as Value
  // A caller who knows the schema has already converted it.
  if (json instanceof Map) return json as CelMap
  return new Map(
    Object.entries(json)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, celValue(field, spend)]),
  )
}

/** The name of a value's type. */
export const typeName = (value: Value): string => {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
  }
  if (value === null) return 'null_type'
  if (isList(value)) return 'list'
  if (isMap(value)) return 'map'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof CelType) return 'type'
  return value instanceof Optional ? 'optional_type' : 'bytes'
}

/** Go's name of the type, as in some of cel-go's errors. */
export const goTypeName = (value: Value): string => {
  const name = typeName(value)
  return goTypeNames.get(name) ?? `types.${name[0]!.toUpperCase()}${name.slice(1)}`
}

const goTypeNames: ReadonlyMap<string, string> = new Map([
  ['null_type', 'types.Null'],
  ['google.protobuf.Timestamp', 'types.Timestamp'],
  ['google.protobuf.Duration', 'types.Duration'],
  ['optional_type', '*types.Optional'],
  ['type', '*types.Type'],
  ['list', '*types.baseList'],
  ['map', '*types.baseMap'],
])

const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

const isInt = (value: bigint): boolean => minInt <= value && value <= maxInt

/** Fails on overflow. */
export const int = (value: bigint): bigint => {
  if (!isInt(value)) throw evaluationError('integer overflow')
  return value
}

/** Fails on overflow. */
export const uint = (value: bigint): Uint => {
  if (value < 0n || value > maxUint) throw evaluationError('unsigned integer overflow')
  return new Uint(value)
}

/** The years 1 to 9999, in seconds. */
export const firstSecond = -62_135_596_800n
const lastSecond = 253_402_300_799n

/** From nanoseconds. Fails before the year 1 and after 9999. */
export const timestamp = (ns: bigint, offset = 0): Timestamp => {
  if (ns < firstSecond * SECOND || ns >= (lastSecond + 1n) * SECOND) throw evaluationError('timestamp overflow')
  return new Timestamp(ns, offset)
}
