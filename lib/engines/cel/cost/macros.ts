/** Expressions that are evaluated once per item: the cost of the iteration itself, besides that of the body. */
import type { Node } from '../syntax.ts'
import type { Estimate, Estimator, Variables } from './part.ts'
import { dyn, made, scalar, sizeOf, text } from './part.ts'
import { either, exactly } from './range.ts'
import type { Shape } from './shape.ts'

type Macro = (receiver: Node, args: readonly Node[], variables: Variables, estimator: Estimator) => Estimate

/**
 * `once`: the cost at the start and at the end. `each`: the cost per item, given the cost of its expressions. `collects`: whether the result
 * has an item for each input item; otherwise it is a single value.
 */
const overItems =
  (once: number, each: (...costs: readonly number[]) => number, collects?: 'items' | 'results'): Macro =>
  (receiver, [variable, ...bodies], variables, { run, sizeAt }) => {
    const range = run(receiver, variables)
    const { type, item: itemType = dyn } = range.type
    const path = [...range.path, type === 'map' ? '@keys' : '@items']
    const size = sizeAt(path)
    const item = { type: type === 'map' ? text : itemType, path, ...(size && { size }) }
    const found = bodies.map(body => run(body, new Map([...variables, [nameOf(variable!), item]])))
    const cost = range.cost + once + sizeOf(range).max * each(...found.map(body => body.cost))
    if (!collects) return { cost, type: scalar, path: [] }
    const result = collects === 'items' ? item : found.at(-1)!
    const itemSize = either(exactly(0), sizeOf(result))
    return { cost, type: made('list', result.type), path: [], size: sizeOf(range), itemSize }
  }

/** Expands to `a.hasValue() ? optional.of(body over a.value()) : optional.none()`; `wrapped`: the cost of the surrounding optional. */
const overOptional =
  (wrapped: number, typeOf: (body: Shape) => Shape): Macro =>
  (receiver, [variable, body], variables, { run }) => {
    const optional = run(receiver, variables)
    const value = { type: optional.type.item ?? dyn, path: [] }
    const { cost, type } = run(body!, new Map([...variables, [nameOf(variable!), value]]))
    return { cost: 12 + wrapped + 2 * optional.cost + cost, type: typeOf(type), path: [] }
  }

const nameOf = ({ args }: Node): string => args as string

/** cel-go keeps an accumulator: each read costs 1, a one-item list 10, appending it 1. */
const collected = 12

/** By name and number of arguments. A call with other arguments is a method call. */
export const macroEstimates: ReadonlyMap<string, Macro> = new Map([
  ['all/2', overItems(1, predicate => predicate! + 3)],
  ['exists/2', overItems(1, predicate => predicate! + 4)],
  ['exists_one/2', overItems(2, predicate => predicate! + 2)],
  ['map/2', overItems(11, result => result! + collected, 'results')],
  ['map/3', overItems(11, (predicate, result) => predicate! + result! + collected, 'results')],
  ['filter/2', overItems(11, predicate => predicate! + collected + 1, 'items')],
  ['optMap/2', overOptional(1, body => made('optional', body))],
  ['optFlatMap/2', overOptional(0, body => body)],
])
