import { type CelError, evaluationError, noSuchOverload } from './cel-error.ts'
import { attempt, type Evaluator, type Scope } from './evaluator.ts'
import type { Node } from './syntax.ts'
import { goTypeName, isList, isMap, Optional, typeName, type Value } from './values.ts'

type Macro = (receiver: Node, args: readonly Node[], scope: Scope, evaluator: Evaluator) => Value

/** Evaluates an expression once per item, under a name of its own: `list.all(x, x > 0)`. */
const overItems =
  (fold: (items: readonly Value[], each: Each, args: readonly Node[]) => Value, cost: FoldCost): Macro =>
  (receiver, [variable, ...args], scope, evaluator) => {
    const range = evaluator.run(receiver, scope)
    const items = isMap(range) ? [...range.keys()] : range
    if (!isList(items)) throw evaluationError(`got '${goTypeName(items)}', expected iterable type`)
    evaluator.spend(items.length)
    evaluator.charge(cost.once)
    const name = variableOf(variable!)
    const within = (item: Value): Scope => ({ find: asked => (asked === name ? item : scope.find(asked)) })
    return fold(
      items,
      {
        value: (node, item) => {
          evaluator.charge(cost.kept ?? 0)
          return evaluator.run(node, within(item))
        },
        holds: (node, item) => {
          evaluator.charge(cost.tested ?? 0)
          return attempt(node, within(item), evaluator)
        },
      },
      args,
    )
  }

/** What going round costs, in cel-go's units, beside what is done with each: once, for an item tested, for one that is kept. */
interface FoldCost {
  readonly once: number
  readonly tested?: number
  readonly kept?: number
}

interface Each {
  value(node: Node, item: Value): Value
  /** A boolean, or why there is none. */
  holds(node: Node, item: Value): boolean | CelError
}

/** An item that decides is enough, even when others can't be judged. */
const quantifier = (deciding: boolean, tested: number): Macro =>
  overItems(
    (items, { holds }, [predicate]) => {
      let failure: CelError | undefined
      for (const item of items) {
        const verdict = holds(predicate!, item)
        if (verdict === deciding) return deciding
        if (typeof verdict !== 'boolean') failure ??= verdict
      }
      if (failure) throw failure
      return !deciding
    },
    { once: 1, tested },
  )

const existsOne: Macro = overItems(
  (items, each, [predicate]) => items.filter(item => isSure(each, predicate!, item)).length === 1,
  { once: 2, tested: 1 },
)

const isSure = ({ holds }: Each, predicate: Node, item: Value): boolean => {
  const verdict = holds(predicate, item)
  if (typeof verdict !== 'boolean') throw verdict
  return verdict
}

const overOptional =
  (wrap: (value: Value) => Value): Macro =>
  (receiver, [variable, body], scope, { run }) => {
    const optional = run(receiver, scope)
    if (!(optional instanceof Optional)) throw noSuchOverload(`hasValue(${typeName(optional)})`)
    const { value } = optional
    if (value === undefined) return optional
    const name = variableOf(variable!)
    return wrap(run(body!, { find: asked => (asked === name ? value : scope.find(asked)) }))
  }

const orElse =
  (orValue: boolean): Macro =>
  (receiver, [other], scope, { run }) => {
    const optional = run(receiver, scope)
    // As in cel-go, what is no optional counts as one that is there.
    if (!(optional instanceof Optional)) return optional
    if (optional.value === undefined) return run(other!, scope)
    return orValue ? optional.value : optional
  }

/** `requireSound` has seen to it that it is a name. */
const variableOf = ({ args }: Node): string => args as string

/** By name and number of arguments. What looks like one with other arguments is a call of a method. */
export const macros: ReadonlyMap<string, Macro> = new Map([
  ['all/2', quantifier(false, 3)],
  ['exists/2', quantifier(true, 4)],
  ['exists_one/2', existsOne],
  [
    'map/2',
    overItems((items, { value }, [transform]) => items.map(item => value(transform!, item)), { once: 11, kept: 12 }),
  ],
  [
    'map/3',
    overItems(
      (items, each, [predicate, transform]) =>
        items.flatMap(item => (isSure(each, predicate!, item) ? [each.value(transform!, item)] : [])),
      { once: 11, tested: 1, kept: 11 },
    ),
  ],
  [
    'filter/2',
    overItems((items, each, [predicate]) => items.filter(item => isSure(each, predicate!, item)), {
      once: 11,
      tested: 13,
    }),
  ],
  ['optMap/2', overOptional(value => new Optional(value))],
  ['optFlatMap/2', overOptional(value => value)],
  ['or/1', orElse(false)],
  ['orValue/1', orElse(true)],
])
