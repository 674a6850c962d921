/** What calls really cost: the table of estimates, with sizes that are known. */
import { Duration, isList, isMap, Timestamp, Uint, type Value } from '../values.ts'
import { callEstimate } from './calls.ts'
import { type Estimate, made, perCharacter } from './part.ts'
import { exactly, unknown } from './range.ts'
import type { Shape } from './shape.ts'

/** Going over so many characters once. */
export const traversal = (size: number): number => Math.ceil(size * perCharacter)

/** Items or characters; 1 for all that has neither. */
export const sizeOf = (value: Value): number => {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length
  return isMap(value) ? value.size : 1
}

/** Of `name(...)`, `.name(receiver, ...)` or `namespace.name(...)`. */
export const callCost = (key: string, values: readonly Value[]): number => {
  const args = values.map(known)
  const isMethod = key.startsWith('.')
  const [target, ...rest] = args
  const itemsOf = values.find(isList) ?? []
  const average = itemsOf.length > 0 ? itemsOf.reduce<number>((sum, item) => sum + sizeOf(item), 0) / itemsOf.length : 0
  const sizes = { run: () => target!, sizeAt: () => exactly(average) }
  const { cost } = isMethod
    ? callEstimate(key.slice(1), target, rest, sizes)
    : callEstimate(key, undefined, args, sizes)
  return Math.min(cost.max, unknown.max)
}

const known = (value: Value): Estimate => ({
  cost: exactly(0),
  type: shapeOf(value),
  // Anywhere: what is asked about it is known.
  path: ['value'],
  size: exactly(sizeOf(value)),
})

const shapeOf = (value: Value): Shape => {
  if (typeof value === 'string') return made('string')
  if (isList(value))
    return made('list', value.length > 0 ? made(typeof value[0] === 'string' ? 'string' : 'dyn') : undefined)
  if (isMap(value)) return made('map')
  if (value instanceof Uint8Array) return made('bytes')
  if (value instanceof Timestamp) return made('timestamp')
  if (value instanceof Duration) return made('duration')
  if (typeof value === 'bigint' || value instanceof Uint) return made('int')
  return made(typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'double' : 'dyn')
}
