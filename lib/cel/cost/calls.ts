/** What functions cost, by what they are given: Kubernetes' table (k8s.io/apiserver/pkg/cel/library) over cel-go's. */
import type { Estimate, Estimator } from './part.ts'
import { bool, dyn, int, made, perCharacter, perRegexCharacter, sizeOf, text } from './part.ts'
import { either, exactly, plus, type Range, scaled, times, unknown } from './range.ts'
import type { Shape } from './shape.ts'

interface Call {
  readonly target?: Estimate
  readonly args: readonly Estimate[]
  /** What the items of a list are, where that is known. */
  itemSize(list: Estimate): Range
}

interface Outcome {
  readonly cost: Range
  readonly size?: Range
  readonly type?: Shape
}

type Judge = (call: Call) => Outcome

/** Estimates a call; `target` is the receiver of a method. */
export const callEstimate = (
  name: string,
  target: Estimate | undefined,
  args: readonly Estimate[],
  { sizeAt }: Estimator,
): Estimate => {
  const itemSize = ({ path }: Estimate) => (path.length > 0 && sizeAt([...path, '@items'])) || unknown
  if (name === 'dyn') return { ...args[0]!, cost: plus(exactly(1), args[0]!.cost), type: dyn, path: [] }
  const { cost, size, type = results.get(name) ?? dyn } = judgeOf(name)({ ...(target && { target }), args, itemSize })
  const given = plus(...[...(target ? [target] : []), ...args].map(each => each.cost))
  return { cost: plus(cost, given), type, path: [], ...(size && { size }) }
}

const judgeOf = (name: string): Judge => (Object.hasOwn(judges, name) ? judges[name]! : () => ({ cost: exactly(1) }))

const partsOfTime = ['FullYear', 'Month', 'Date', 'DayOfMonth', 'DayOfWeek', 'DayOfYear', 'Hours', 'Minutes', 'Seconds']

const results: ReadonlyMap<string, Shape> = new Map([
  ...['size', 'int', 'uint', 'indexOf', 'lastIndexOf', 'sum'].map(name => [name, int] as const),
  ...[...partsOfTime, 'Milliseconds'].map(part => [`get${part}`, int] as const),
  ...['startsWith', 'endsWith', 'contains', 'matches', 'isSorted', 'bool', 'hasValue'].map(
    name => [name, bool] as const,
  ),
  ...['string', 'charAt', 'join', 'format', 'find', 'strings.quote', 'lowerAscii', 'upperAscii', 'trim', 'replace'].map(
    name => [name, text] as const,
  ),
  ['substring', text],
  ['reverse', text],
  ['double', made('double')],
  ['bytes', made('bytes')],
  ['duration', made('duration')],
  ['timestamp', made('timestamp')],
  ['split', made('list', text)],
  ['findAll', made('list', text)],
])

const traversed = (size: Range): Range => scaled(size, perCharacter)
const twice = (size: Range): Range => scaled(size, 2 * perCharacter)
const own: Judge = ({ target, args }) => {
  const size = sizeOf((target ?? args[0])!)
  return { cost: traversed(size), size }
}

/** An expression is thought of as one part in four characters, each of which is tried at each place of the text. */
const regex = (searched: Estimate, expression: Estimate): Range =>
  times(traversed(plus(sizeOf(searched), exactly(1))), scaled(sizeOf(expression), perRegexCharacter))

const overList: Judge = ({ target, itemSize }) => {
  if (!target) return { cost: exactly(1) }
  const { type, item } = target.type
  if (type !== 'list') return { cost: traversed(sizeOf(target)) }
  const isText = item?.type === 'string' || item?.type === 'bytes'
  const perItem = isText ? plus(exactly(1), traversed(itemSize(target))) : exactly(1)
  return { cost: times(sizeOf(target), perItem) }
}

const sets =
  (often: number): Judge =>
  ({ args: [a, b] }) => ({ cost: plus(exactly(1), scaled(times(sizeOf(a!), sizeOf(b!)), often)) })

const judges: Readonly<Record<string, Judge>> = {
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  isSorted: overList,
  sum: overList,
  indexOf: overList,
  lastIndexOf: overList,
  max: call => ({ ...overList(call), type: call.target?.type.item ?? dyn }),
  min: call => ({ ...overList(call), type: call.target?.type.item ?? dyn }),
  lowerAscii: own,
  upperAscii: own,
  substring: own,
  trim: own,
  url: own,
  replace: ({ target, args }) => ({ cost: twice(sizeOf(target!)), size: replacedSize(target!, args[0]!, args[1]!) }),
  split: ({ target }) => {
    const size = sizeOf(target!)
    return { cost: twice(size), size: { min: 0, max: size.max } }
  },
  join: ({ target, args, itemSize }) => {
    const list = sizeOf(target!)
    const items = target!.type.item ? times(list, itemSize(target!)) : exactly(0)
    const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) }
    const size = args[0] ? plus(items, times(sizeOf(args[0]), between)) : items
    return { cost: traversed(size), size }
  },
  find: ({ target, args }) => ({ cost: regex(target!, args[0]!), size: { min: 0, max: sizeOf(target!).max } }),
  findAll: ({ target, args }) => ({ cost: regex(target!, args[0]!), size: { min: 0, max: sizeOf(target!).max } }),
  matches: ({ target, args }) => ({ cost: target ? regex(target, args[0]!) : exactly(1) }),
  contains: ({ target, args }) => ({ cost: times(traversed(sizeOf(target!)), traversed(sizeOf(args[0]!))) }),
  startsWith: ({ args }) => ({ cost: traversed(sizeOf(args[0]!)) }),
  endsWith: ({ args }) => ({ cost: traversed(sizeOf(args[0]!)) }),
  format: ({ target }) => ({ cost: traversed(sizeOf(target!)) }),
  string: ({ args: [value] }) => {
    const { type } = value!.type
    const size = sizeOf(value!)
    const fromBytes = { cost: traversed(size), size: { min: Math.floor(size.min / 4), max: size.max } }
    if (type === 'bytes') return fromBytes
    return type === 'dyn' ? { ...fromBytes, cost: either(fromBytes.cost, exactly(1)) } : { cost: exactly(1) }
  },
  bytes: ({ args: [value] }) => {
    if (value!.type.type === 'bytes') return { cost: exactly(1) }
    const { min, max } = sizeOf(value!)
    return { cost: traversed({ min, max }), size: { min, max: Math.min(max * 4, unknown.max) } }
  },
  'strings.quote': ({ args: [value] }) => {
    const { min, max } = sizeOf(value!)
    return { cost: traversed({ min, max }), size: { min: min + 2, max: Math.min(max * 2 + 2, unknown.max) } }
  },
}

/** Of a text in which something is replaced as often as it may stand there, or as seldom. */
const replacedSize = (whole: Estimate, from: Estimate, to: Estimate): Range => {
  const [size, old, fresh] = [sizeOf(whole), sizeOf(from), sizeOf(to)]
  const [timesAtMost, keptAtMost] =
    old.min === 0 ? [size.max + 1, size.max] : fresh.max <= old.min ? [0, size.max] : [Math.ceil(size.max / old.min), 0]
  const [timesAtLeast, keptAtLeast] =
    old.max === 0 ? [size.min + 1, size.min] : old.max <= fresh.min ? [0, size.min] : [Math.ceil(size.min / old.max), 0]
  return plus(times({ min: timesAtLeast, max: timesAtMost }, fresh), { min: keptAtLeast, max: keptAtMost })
}
