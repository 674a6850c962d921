import { requireBounded } from '../values/require-bounded.ts'
import { isTrue } from '../values/truth.ts'
import {
  type FunctionMap,
  isMap,
  isNil,
  isNothing,
  TemplateFunction,
  TypedList,
  TypedMap,
  type Value,
  type ValueMap,
} from '../values/value.ts'

/** Maximum nesting of merged data. */
const MAX_DEPTH = 500

/** Sets absent and empty fields of the target; with `overwrites`, the source's values win. */
const mergeInto = (target: ValueMap, source: ValueMap, overwrites: boolean, depth = 0): void => {
  if (depth > MAX_DEPTH) throw new Error('maps are nested too deeply')
  if (depth === 0) requireBounded(source)
  for (const [key, value] of source) {
    const known = target.get(key)
    if (isNothing(value)) {
      if (overwrites) target.set(key, value)
    } else if (isMap(known) && !isNil(known) && isMap(value)) mergeInto(known, value, overwrites, depth + 1)
    else if (overwrites || !isTrue(known)) target.set(key, value)
  }
}

const merge =
  (overwrites: boolean) =>
  (target: ValueMap, ...sources: ValueMap[]): Value => {
    let merged = target
    for (const source of sources) {
      // A nil map, as `index` gives for an absent key, becomes one that can hold something.
      if (isNil(merged) && !isNil(source)) merged = new Map()
      mergeInto(merged, source, overwrites)
    }
    return merged
  }

const deepCopy = (value: Value): Value => {
  if (isNothing(value)) throw new Error('reflect: call of reflect.Value.Type on zero Value')
  requireBounded(value)
  return copy(value)
}

const copy = (value: Value): Value => {
  if (value instanceof TypedList) return TypedList.holding(value.elementType, Array.from(value, copy), value.isNil)
  if (Array.isArray(value)) return value.map(copy)
  if (value instanceof TypedMap) return new TypedMap(value.elementType, value)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, copy(item)] as const))
  return value
}

const DICT = 'map[string]interface {}'
const filling = new TemplateFunction([DICT], merge(false), DICT)
const overwriting = new TemplateFunction([DICT], merge(true), DICT)
const copying = new TemplateFunction(['interface {}'], deepCopy)

export const mergeFunctions: FunctionMap = new Map([
  ['merge', filling],
  ['mustMerge', filling],
  ['mergeOverwrite', overwriting],
  ['mustMergeOverwrite', overwriting],
  ['deepCopy', copying],
  ['mustDeepCopy', copying],
])
