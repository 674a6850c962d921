import { formatValue } from '../format/format-value.ts'
import { deepEqual } from '../values/deep-equal.ts'
import { withWholeCharacters } from '../values/text.ts'
import { isTrue } from '../values/truth.ts'
import {
  type FunctionMap,
  isList,
  isNothing,
  kindOf,
  TemplateFunction,
  TypedList,
  type Value,
} from '../values/value.ts'
import { requireItems } from './amount.ts'
import { type ReadInteger, toInt64 } from './convert.ts'

/** The items of a list; throws sprig's message, which names the failed operation. */
const itemsOf = (value: Value, problem: string): Value[] => {
  if (isList(value)) return value
  // reflect.TypeOf(nil) has no Kind.
  if (isNothing(value)) throw new Error('runtime error: invalid memory address or nil pointer dereference')
  throw new Error(problem.replace('%s', kindOf(value)))
}

const includes = (list: readonly Value[], value: Value): boolean => list.some(item => deepEqual(item, value))

const push = (list: Value, value: Value): Value => [...itemsOf(list, 'Cannot push on type %s'), value]
const prepend = (list: Value, value: Value): Value => [value, ...itemsOf(list, 'Cannot prepend on type %s')]
const first = (list: Value): Value => itemsOf(list, 'Cannot find first on type %s')[0] ?? null
const last = (list: Value): Value => itemsOf(list, 'Cannot find last on type %s').at(-1) ?? null
const rest = (list: Value): Value => orNil(itemsOf(list, 'Cannot find rest on type %s').slice(1), list)
const initial = (list: Value): Value => orNil(itemsOf(list, 'Cannot find initial on type %s').slice(0, -1), list)
const reverse = (list: Value): Value => Array.from(itemsOf(list, 'Cannot find reverse on type %s')).reverse()
const compact = (list: Value): Value => Array.from(itemsOf(list, 'Cannot compact on type %s')).filter(isTrue)

/** For an empty list, sprig returns a nil slice. */
const orNil = (items: Value[], list: Value): Value =>
  (list as Value[]).length === 0 ? TypedList.holding('interface {}', [], true) : items

/** Compares only values that print alike, so that long lists don't take quadratic time. */
const uniq = (list: Value): Value => {
  const items = itemsOf(list, 'Cannot find uniq on type %s')
  const alike = new Map<string, Value[]>()
  return Array.from(items).filter(item => {
    const text = withWholeCharacters(formatValue(item))
    const seen = alike.get(text)
    if (seen && includes(seen, item)) return false
    if (seen) seen.push(item)
    else alike.set(text, [item])
    return true
  })
}

const without = (list: Value, ...omitted: Value[]): Value =>
  Array.from(itemsOf(list, 'Cannot find without on type %s')).filter(item => !includes(omitted, item))

const has = (needle: Value, haystack: Value): Value =>
  !isNothing(haystack) && includes(itemsOf(haystack, 'Cannot find has on type %s'), needle)

const slice =
  (read: ReadInteger) =>
  (list: Value, ...indices: Value[]): Value => {
    const items = itemsOf(list, 'list should be type of slice or array but %s')
    if (items.length === 0) return null
    const [start = 0, end = items.length] = indices.map(index => Number(toInt64(index, read)))
    if (start < 0 || end < start || end > items.length)
      throw new Error('reflect.Value.Slice: slice index out of bounds')
    const part = items.slice(start, end)
    return items instanceof TypedList ? TypedList.holding(items.elementType, part) : part
  }

const concat = (...lists: Value[]): Value => {
  const items = lists.flatMap(list => Array.from(itemsOf(list, 'Cannot concat type %s as list')))
  return orNil(items, items)
}

const chunk = (size: number, list: Value): Value => {
  const items = itemsOf(list, 'Cannot chunk type %s')
  const count = Math.floor((items.length - 1) / size) + 1
  const last = items.length % size || size
  // A negative size creates no chunks, or one of a single item.
  if (!(count >= 0 && (count === 0 || last > 0))) throw new Error('runtime error: makeslice: len out of range')
  requireItems(count)
  const chunks = Array.from({ length: count }, (_, i) => Array.from(items.slice(i * size, (i + 1) * Math.abs(size))))
  return TypedList.holding('[]interface {}', chunks)
}

const one = (call: (list: Value) => Value) => new TemplateFunction(['interface {}'], call)
const two = (call: (a: Value, b: Value) => Value) => new TemplateFunction(['interface {}', 'interface {}'], call)
const more = (call: (list: Value, ...others: Value[]) => Value) =>
  new TemplateFunction(['interface {}'], call, 'interface {}')
const make = new TemplateFunction([], (...items: Value[]) => items, 'interface {}')

/** Each exists with and without `must`: both fail with the same message in a template. */
const twice = (functions: Readonly<Record<string, TemplateFunction>>): [string, TemplateFunction][] =>
  Object.entries(functions).flatMap(([name, fn]) => [
    [name, fn],
    [`must${name[0]!.toUpperCase()}${name.slice(1)}`, fn],
  ])

/** sprig's list functions, each also with `must` before its name. `read` reads the indices of `slice`. */
export const listFunctions = (read: ReadInteger): FunctionMap =>
  new Map([
    ['list', make],
    ['tuple', make],
    ['concat', new TemplateFunction([], concat, 'interface {}')],
    ...twice({
      append: two(push),
      push: two(push),
      prepend: two(prepend),
      first: one(first),
      last: one(last),
      rest: one(rest),
      initial: one(initial),
      reverse: one(reverse),
      compact: one(compact),
      uniq: one(uniq),
      without: more(without),
      has: two(has),
      slice: more(slice(read)),
      chunk: new TemplateFunction(['int', 'interface {}'], chunk),
    }),
  ])
