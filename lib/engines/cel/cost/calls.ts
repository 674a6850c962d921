/** The estimated cost of functions, by arguments: Kubernetes' table (k8s.io/apiserver/pkg/cel/library) on top of cel-go's. */
import type { Estimate, Estimator } from './part.ts'
import { dyn, isText, made, perCharacter, perRegexCharacter, scalar, sizeOf, text, traversed } from './part.ts'
import { bounded, exactly, plus, type Range, times, unknown } from './range.ts'
import type { Shape } from './shape.ts'

interface Outcome {
  readonly cost: number
  readonly size?: Range
  readonly type?: Shape
}

/** For a method, the first argument is the receiver. */
type Judge = (given: readonly [Estimate, Estimate, Estimate], itemSize: (list: Estimate) => Range) => Outcome

/** Estimates `name(...)`, `.name(receiver, ...)` or `namespace.name(...)`. */
export const callEstimate = (key: string, given: readonly Estimate[], { sizeAt }: Estimator): Estimate => {
  // A call with too few arguments is refused for that elsewhere.
  const [first = absent, second = absent, third = absent] = given
  const cost = given.reduce((sum, each) => sum + each.cost, 0)
  if (key === 'dyn') return { ...first, cost: cost + 1, type: dyn, path: [] }
  const itemSize = ({ path }: Estimate) => (path.length > 0 && sizeAt([...path, '@items'])) || unknown
  const name = key.replace(/^\./, '')
  // Only the method has a cost of its own.
  const judge = Object.hasOwn(judges, name) && key !== 'matches' ? judges[name]! : nominal
  const outcome = judge([first, second, third], itemSize)
  return { type: results.get(name) ?? dyn, ...outcome, cost: cost + outcome.cost, path: [] }
}

const absent: Estimate = { cost: 0, type: dyn, path: [], size: exactly(0) }

const nominal: Judge = () => ({ cost: 1 })

const partsOfTime = ['FullYear', 'Month', 'Date', 'DayOfMonth', 'DayOfWeek', 'DayOfYear', 'Hours', 'Minutes', 'Seconds']
const ofType = (type: Shape, ...names: readonly string[]) => names.map(name => [name, type] as const)

const results: ReadonlyMap<string, Shape> = new Map([
  ...ofType(scalar, 'size', 'int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'indexOf', 'lastIndexOf', 'sum'),
  ...ofType(scalar, 'startsWith', 'endsWith', 'contains', 'matches', 'isSorted', 'hasValue'),
  ...ofType(scalar, ...[...partsOfTime, 'Milliseconds'].map(part => `get${part}`)),
  ...ofType(text, 'string', 'charAt', 'join', 'format', 'find', 'strings.quote', 'lowerAscii', 'upperAscii', 'trim'),
  ...ofType(text, 'replace', 'substring'),
  ...ofType(made('bytes'), 'bytes'),
  ...ofType(made('optional', dyn), 'optional.none'),
  ...ofType(made('list', text), 'split', 'findAll'),
])

const own: Judge = ([value]) => ({ cost: traversed(sizeOf(value)), size: sizeOf(value) })
const rebuilt = (size: number): number => Math.ceil(size * 2 * perCharacter)

/** A regular expression counts as one element per four characters, each tried at every position of the text. */
const regex: Judge = ([searched, expression]) => ({
  cost: traversed(plus(sizeOf(searched), exactly(1))) * Math.ceil(sizeOf(expression).max * perRegexCharacter),
})
const found: Judge = (given, itemSize) => ({ ...regex(given, itemSize), size: { min: 0, max: sizeOf(given[0]).max } })

const overList: Judge = ([list], itemSize) => {
  const { type, item } = list.type
  if (type !== 'list') return { cost: traversed(sizeOf(list)) }
  return { cost: sizeOf(list).max * (isText(item!) ? 1 + traversed(itemSize(list)) : 1) }
}
const oneOfList: Judge = (given, itemSize) => ({ ...overList(given, itemSize), type: given[0].type.item ?? dyn })

const wrapped: Judge = ([value]) => ({ cost: 1, type: made('optional', value.type) })
const unwrapped: Judge = ([optional]) => ({ cost: 1, type: optional.type.item ?? dyn })

const sets =
  (often: number): Judge =>
  ([a, b]) => ({ cost: 1 + sizeOf(a).max * sizeOf(b).max * often })

const judges: Readonly<Record<string, Judge>> = {
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  isSorted: overList,
  sum: overList,
  indexOf: overList,
  lastIndexOf: overList,
  max: oneOfList,
  min: oneOfList,
  lowerAscii: own,
  upperAscii: own,
  substring: own,
  trim: own,
  url: own,
  replace: ([whole, from, to]) => ({ cost: rebuilt(sizeOf(whole).max), size: replacedSize(whole, from, to) }),
  split: ([whole, , { literal }]) => {
    const { max } = sizeOf(whole)
    // cel-go writes "no limit" as -1, which it then reads as the largest number.
    return {
      cost: rebuilt(max),
      size: { min: 0, max: typeof literal === 'bigint' ? Number(BigInt.asUintN(64, literal)) : max },
    }
  },
  join: ([list, separator], itemSize) => {
    const { min, max } = sizeOf(list)
    const items = list.type.item ? times({ min, max }, itemSize(list)) : exactly(0)
    const size = plus(items, times(sizeOf(separator), { min: Math.max(0, min - 1), max: Math.max(0, max - 1) }))
    return { cost: traversed(size), size }
  },
  'optional.of': wrapped,
  'optional.ofNonZeroValue': wrapped,
  value: unwrapped,
  orValue: unwrapped,
  or: ([optional]) => ({ cost: 1, type: optional.type }),
  find: found,
  findAll: found,
  matches: regex,
  contains: ([whole, part]) => ({ cost: traversed(sizeOf(whole)) * traversed(sizeOf(part)) }),
  startsWith: ([, part]) => ({ cost: traversed(sizeOf(part)) }),
  endsWith: ([, part]) => ({ cost: traversed(sizeOf(part)) }),
  format: ([whole]) => ({ cost: traversed(sizeOf(whole)) }),
  string: ([value]) => {
    const { min, max } = sizeOf(value)
    const fromBytes = { cost: traversed({ min, max }), size: { min: Math.floor(min / 4), max } }
    if (value.type.type === 'bytes') return fromBytes
    return value.type.type === 'dyn' ? { ...fromBytes, cost: Math.max(fromBytes.cost, 1) } : { cost: 1 }
  },
  bytes: ([value]) => {
    const { min, max } = sizeOf(value)
    const fromText = { cost: traversed({ min, max }), size: { min, max: bounded(max * 4) } }
    if (value.type.type === 'string') return fromText
    return value.type.type === 'dyn' ? { ...fromText, cost: Math.max(fromText.cost, 1) } : { cost: 1 }
  },
  'strings.quote': ([value]) => {
    // For an unknown size, cel-go's 64-bit sum overflows to 0.
    const { min, max } = sizeOf(value)
    return { cost: traversed({ min, max }), size: { min: min + 2, max: (max * 2 + 2) % unknown.max } }
  },
}

/** The size of a text after replacements: with as many as can occur, and with as few. */
const replacedSize = (whole: Estimate, from: Estimate, to: Estimate): Range => {
  const [size, old, fresh] = [sizeOf(whole), sizeOf(from), sizeOf(to)]
  const [timesAtMost, keptAtMost] =
    old.min === 0 ? [size.max + 1, size.max] : fresh.max <= old.min ? [0, size.max] : [Math.ceil(size.max / old.min), 0]
  const [timesAtLeast, keptAtLeast] =
    old.max === 0 ? [size.min + 1, size.min] : old.max <= fresh.min ? [0, size.min] : [Math.ceil(size.min / old.max), 0]
  return plus(times({ min: timesAtLeast, max: timesAtMost }, fresh), { min: keptAtLeast, max: keptAtMost })
}
