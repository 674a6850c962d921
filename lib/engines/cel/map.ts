/** Maps: expressions are not type-checked, so that values of every type may be keys. */
import { evaluationError } from './cel-error.ts'
import { type CelMap, CelType, Duration, Optional, Timestamp, Uint, type Value } from './values.ts'

/** A map literal. Equal keys are one, as in Go; each list, map and optional value is a key of its own. */
export class WrittenMap extends Map<Value, Value> {
  private readonly alike = new Map<string | undefined, Value>()

  /** Fails for bytes, with Go's error. */
  override set(key: Value, value: Value): this {
    if (key instanceof Uint8Array) throw unhashable('runtime error: hash of unhashable type')
    const text = identityOf(key)
    if (text === undefined) return super.set(key, value)
    const own = this.alike.get(text) ?? key
    this.alike.set(text, own)
    return super.set(own, value)
  }

  override get(key: Value): Value | undefined {
    return super.get(this.own(key))
  }

  override delete(key: Value): boolean {
    if (key instanceof Uint8Array) throw unhashable('hash of unhashable type:')
    return super.delete(this.own(key))
  }

  private own(key: Value): Value {
    return this.alike.get(identityOf(key)) ?? key
  }
}

const unhashable = (why: string) => evaluationError(`internal error: ${why} types.Bytes`)

/** The value under a key. For numbers, falls back to a key of equal value and another type. */
export const find = (map: CelMap, key: Value): Value | undefined => {
  const found = map.get(key)
  if (found !== undefined) return found
  for (const other of sameNumbers(key)) {
    const value = map.get(other)
    if (value !== undefined) return value
  }
  return undefined
}

function* sameNumbers(key: Value): Generator<Value> {
  if (key instanceof Uint) yield key.value
  if (typeof key === 'bigint') yield new Uint(key)
  if (!Number.isInteger(key)) return
  const whole = BigInt(key as number)
  yield* [whole, new Uint(whole)]
}

/** The same text for objects that are the same key. */
const identityOf = (key: Value): string | undefined => {
  if (key instanceof Uint) return `uint ${key.value}`
  if (key instanceof Duration) return `duration ${key.ns}`
  if (key instanceof Timestamp) return `timestamp ${key.ns} ${key.offset}`
  if (key instanceof CelType) return `type ${key.name}`
  if (key instanceof Optional && key.value === undefined) return 'nothing'
  return undefined
}
