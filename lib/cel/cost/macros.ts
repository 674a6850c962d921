/** Expressions that are evaluated once per item: what going round costs, beside what is done with each. */
import type { Node } from '../syntax.ts'
import type { Entry, Estimate, Estimator, Variables } from './part.ts'
import { bool, dyn, eitherEntry, made, nothing, sizeOf, text } from './part.ts'
import { either, exactly, plus, type Range, times } from './range.ts'

interface Fold {
  /** At the begin and at the end. */
  readonly once: number
  /** For each item, from what its expressions cost. */
  each(costs: readonly Range[]): Range
  /** Whether the result has an item for each that there was; else it is one value. */
  readonly collects?: 'items' | 'results'
}

/** cel-go keeps an accumulator: each look at it costs 1, a list that is made of one item 10, adding it to the others 1. */
const collected = 12

const quantifier = (perItem: number): Fold => ({ once: 1, each: ([predicate]) => plus(exactly(perItem), predicate!) })
const exactlyOne: Fold = { once: 2, each: ([predicate]) => plus(predicate!, { min: 1, max: 2 }) }

const folds: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ['all/2', quantifier(3)],
  ['exists/2', quantifier(4)],
  ['exists_one/2', exactlyOne],
  ['map/2', { once: 11, each: ([result]) => plus(exactly(collected), result!), collects: 'results' }],
  [
    'map/3',
    {
      once: 11,
      each: ([predicate, result]) => plus(predicate!, either(plus(exactly(collected), result!), exactly(1))),
      collects: 'results',
    },
  ],
  [
    'filter/2',
    { once: 11, each: ([predicate]) => plus(predicate!, { min: 1, max: collected + 1 }), collects: 'items' },
  ],
])

/** Undefined for calls of methods. */
export const macroEstimate = (
  name: string,
  receiver: Node,
  [variable, ...bodies]: readonly Node[],
  variables: Variables,
  estimator: Estimator,
): Estimate | undefined => {
  const fold = folds.get(`${name}/${bodies.length + 1}`)
  if (fold && variable?.op === 'id')
    return folded(fold, variable.args as string, receiver, bodies, variables, estimator)
  if (name === 'optMap' || name === 'optFlatMap')
    return opened(name, variable!.args as string, receiver, bodies[0]!, variables, estimator)
  return undefined
}

const folded = (
  { once, each, collects }: Fold,
  name: string,
  receiver: Node,
  bodies: readonly Node[],
  variables: Variables,
  { run, sizeAt }: Estimator,
): Estimate => {
  const range = run(receiver, variables)
  const isMap = range.type.type === 'map' || range.type.type === 'object'
  const type = isMap ? text : (range.type.item ?? dyn)
  const path = [...range.path, isMap ? '@keys' : '@items']
  const size = sizeAt(path) ?? (isMap ? range.entry?.key : range.entry?.value)
  const item = { type, path, ...(size && { size }) }
  const found = bodies.map(body => run(body, new Map([...variables, [name, item]])))
  const perItem = each(found.map(({ cost }) => cost))
  const cost = plus(range.cost, exactly(once), times(sizeOf(range), perItem))
  if (!collects) return { cost, type: bool, path: [], size: exactly(1) }
  const result = collects === 'items' ? item : found.at(-1)!
  const added: Entry = { key: exactly(1), value: sizeOf(result) }
  const entry = eitherEntry(nothing, added)
  return { cost, type: made('list', result.type), path: [], size: sizeOf(range), ...(entry && { entry }) }
}

/** `a.optMap(x, f)` stands for `a.hasValue() ? optional.of(f over a.value()) : optional.none()`. */
const opened = (
  name: string,
  variable: string,
  receiver: Node,
  body: Node,
  variables: Variables,
  { run }: Estimator,
): Estimate => {
  const optional = run(receiver, variables)
  const value = { type: optional.type.item ?? dyn, path: [] }
  const { cost, type } = run(body, new Map([...variables, [variable, value]]))
  const isFlat = name === 'optFlatMap'
  const present = plus(exactly(isFlat ? 0 : 1), exactly(10), exactly(1), optional.cost, cost)
  return {
    cost: plus(exactly(1), optional.cost, either(present, exactly(1))),
    type: isFlat ? type : made('optional', type),
    path: [],
  }
}
