import { sortedKeys } from '../values/text.ts'
import {
  type FunctionMap,
  isMap,
  isNothing,
  NamedMap,
  NilMap,
  stringList,
  TemplateFunction,
  TypedMap,
  typeNameOf,
  type Value,
  type ValueMap,
} from '../values/value.ts'
import { toText } from './convert.ts'

const DICT = 'map[string]interface {}'

const dict = (...pairs: Value[]): ValueMap => {
  const map: ValueMap = new Map()
  for (let i = 0; i < pairs.length; i += 2)
    map.set(toText(pairs[i]), i + 1 < pairs.length ? (pairs[i + 1] ?? null) : '')
  return map
}

const get = (map: ValueMap, key: string): Value => (map.has(key) ? map.get(key) : '')

const set = (map: ValueMap, key: string, value: Value): Value => {
  if (map instanceof NilMap) throw new Error('assignment to entry in nil map')
  return map.set(key, value ?? null)
}

const unset = (map: ValueMap, key: string): Value => {
  map.delete(key)
  return map
}

const pluck = (key: string, ...maps: ValueMap[]): Value => maps.filter(map => map.has(key)).map(map => map.get(key))

/** Go returns keys and values in random order; here they are sorted. */
const keys = (...maps: ValueMap[]): Value => stringList(maps.flatMap(sortedKeys))
const values = (map: ValueMap): Value => sortedKeys(map).map(key => map.get(key))

const filterKeys = (map: ValueMap, isChosen: (key: string) => boolean): ValueMap =>
  new Map([...map].filter(([key]) => isChosen(key)))
const pick = (map: ValueMap, ...names: string[]): Value => filterKeys(map, key => names.includes(key))
const omit = (map: ValueMap, ...names: string[]): Value => filterKeys(map, key => !names.includes(key))

/** The value at a path of keys, or the default, which is the argument before the last one, the map. */
const dig = (...args: Value[]): Value => {
  if (args.length < 3) throw new Error('dig needs at least three arguments')
  let found: Value = requireDict(args.at(-1))
  const path = args.slice(0, -2).map(key => {
    if (typeof key === 'string') return key
    throw new Error(`interface conversion: interface {} is ${nameOf(key)}, not string`)
  })
  for (const key of path) {
    const map: ValueMap = requireDict(found)
    if (!map.has(key)) return args.at(-2)
    found = map.get(key)
  }
  return found
}

const nameOf = (value: Value): string => (isNothing(value) ? 'nil' : typeNameOf(value))

const requireDict = (value: Value): ValueMap => {
  if (isMap(value) && !(value instanceof TypedMap) && !(value instanceof NamedMap)) return value
  throw new Error(`interface conversion: interface {} is ${nameOf(value)}, not ${DICT}`)
}

export const dictFunctions: FunctionMap = new Map([
  ['dict', new TemplateFunction([], dict, 'interface {}')],
  ['get', new TemplateFunction([DICT, 'string'], get)],
  ['set', new TemplateFunction([DICT, 'string', 'interface {}'], set)],
  ['unset', new TemplateFunction([DICT, 'string'], unset)],
  ['hasKey', new TemplateFunction([DICT, 'string'], (map: ValueMap, key: string) => map.has(key))],
  ['pluck', new TemplateFunction(['string'], pluck, DICT)],
  ['keys', new TemplateFunction([], keys, DICT)],
  ['values', new TemplateFunction([DICT], values)],
  ['pick', new TemplateFunction([DICT], pick, 'string')],
  ['omit', new TemplateFunction([DICT], omit, 'string')],
  ['dig', new TemplateFunction([], dig, 'interface {}')],
])
