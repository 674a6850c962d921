/** The actual cost of calls, by arguments and result: Kubernetes' table on top of cel-go's. */
import { isList, isMap, Optional, type Value } from '../values.ts'
import { perCharacter, perRegexCharacter } from './part.ts'

/** The cost of traversing this many characters, once or several times. */
export const traversal = (size: number, times = 1): number => Math.ceil(size * times * perCharacter)

/** Items or characters; 1 for values that have neither. */
export const sizeOf = (value: Value | undefined): number => {
  if (typeof value === 'string') return [...value].length
  if (isList(value) || value instanceof Uint8Array) return value.length
  if (value instanceof Optional) return sizeOf(value.value)
  return isMap(value) ? value.size : 1
}

/** The cost of `name(...)`, `.name(receiver, ...)` or `namespace.name(...)`. */
export const callCost = (key: string, args: readonly Value[], result: Value): number => {
  const name = key.replace(/^\./, '')
  // Only the method has a cost of its own.
  return Object.hasOwn(costs, name) && key !== 'matches' ? costs[name]!(args, result) : 1
}

type Cost = (args: readonly Value[], result: Value) => number

const own: Cost = ([text]) => traversal(sizeOf(text!))
const copied: Cost = ([text]) => traversal(sizeOf(text!), 2)
const searched: Cost = ([text]) => Math.floor(Buffer.byteLength(text as string) * perCharacter)
const pairs = ([a, b]: readonly Value[]): number => sizeOf(a!) * sizeOf(b!)
const anyPair: Cost = args => 1 + pairs(args)

const costs: Readonly<Record<string, Cost>> = {
  startsWith: own,
  endsWith: own,
  format: own,
  'strings.quote': own,
  lowerAscii: own,
  upperAscii: own,
  substring: own,
  trim: own,
  replace: copied,
  split: copied,
  join: (_, result) => traversal(sizeOf(result), 2),
  indexOf: searched,
  lastIndexOf: searched,
  string: args => (args[0] instanceof Uint8Array ? own(args, null) : 1),
  bytes: args => (typeof args[0] === 'string' ? own(args, null) : 1),
  contains: ([text, part]) => traversal(sizeOf(text!)) * traversal(sizeOf(part!)),
  matches: ([text, regex]) => traversal(sizeOf(text!) + 1) * Math.ceil(sizeOf(regex!) * perRegexCharacter),
  'sets.contains': anyPair,
  'sets.intersects': anyPair,
  'sets.equivalent': args => 1 + 2 * pairs(args),
}
