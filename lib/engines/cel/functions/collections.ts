/** Lists, maps, sets of list items, and optional values. */
import { SECOND } from '../../../foundations/go/duration.ts'
import { evaluationError, noSuchOverload } from '../cel-error.ts'
import { includes } from '../compare.ts'
import type { Spend } from '../spend.ts'
import {
  type CelMap,
  Duration,
  firstSecond,
  isList,
  isMap,
  type List,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts'
import type { Functions } from './function.ts'

export const collectionFunctions: Functions = {
  'size(list): int': (list: List) => BigInt(list.length),
  'size(map): int': (map: CelMap) => BigInt(map.size),
  'list.first(): optional': (list: List) => new Optional(list[0]),
  'list.last(): optional': (list: List) => new Optional(list.at(-1)),
  'list.unwrapOpt(): list': (list: List) => unwrap(list, 'unwrapOpt'),

  'sets::contains(list, list): bool': (set: List, part: List, spend: Spend) =>
    part.every(item => includes(set, item, spend)),
  'sets::intersects(list, list): bool': (a: List, b: List, spend: Spend) => a.some(item => includes(b, item, spend)),
  'sets::equivalent(list, list): bool': (a: List, b: List, spend: Spend) =>
    a.every(item => includes(b, item, spend)) && b.every(item => includes(a, item, spend)),

  'optional::of(dyn): optional': (value: Value) => new Optional(value),
  'optional::none(): optional': () => new Optional(undefined),
  'optional::ofNonZeroValue(dyn): optional': (value: Value) => new Optional(isZero(value) ? undefined : value),
  'optional::unwrap(list): list': (list: List) => unwrap(list, 'optional.unwrap'),
  'optional.hasValue(): bool': (optional: Optional) => optional.value !== undefined,
  'optional.value(): dyn': ({ value }: Optional) => {
    if (value === undefined) throw evaluationError('optional.none() dereference')
    return value
  },
}

/** The values that are present. */
const unwrap = (list: List, name: string): List =>
  list.flatMap(item => {
    if (!(item instanceof Optional)) throw noSuchOverload(`${name}(list)`)
    return item.value === undefined ? [] : [item.value]
  })

const isZero = (value: Value): boolean => {
  if (isList(value) || value instanceof Uint8Array) return value.length === 0
  if (isMap(value)) return value.size === 0
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Duration) return value.ns === 0n
  if (value instanceof Timestamp) return value.ns === firstSecond * SECOND
  return value === null || value === false || value === '' || value === 0n || value === 0
}
