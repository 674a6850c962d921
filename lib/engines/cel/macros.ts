import { type CelError, evaluationError, noSuchOverload } from './cel-error.ts'
import { isConstant } from './constant.ts'
import { attempt, type Evaluator, type Scope } from './evaluator.ts'
import type { Node } from './syntax.ts'
import { toNativeValue } from './to-native-value.ts'
import { goTypeName, isList, isMap, Optional, typeName, type Value } from './values.ts'

type Macro = (receiver: Node, args: readonly Node[], scope: Scope, evaluator: Evaluator) => Value

/** Evaluates an expression once per item, bound to a name: `list.all(x, x > 0)`. */
const overItems =
  (fold: (items: readonly Value[], each: Each, args: readonly Node[]) => Value, once: number): Macro =>
  (receiver, [variable, ...args], scope, evaluator) => {
    const range = evaluator.run(receiver, scope)
    const items = isMap(range) ? [...range.keys()] : range
    if (!isList(items)) throw evaluationError(`got '${goTypeName(items)}', expected iterable type`)
    evaluator.spend(items.length)
    evaluator.charge(once)
    const name = variableOf(variable!)
    const within = (item: Value): Scope => ({ find: wanted => (wanted === name ? item : scope.find(wanted)) })
    const each: Each = {
      charge: evaluator.charge,
      value: (node, item) => evaluator.run(node, within(item)),
      verdict: (node, item) => attempt(node, within(item), evaluator),
    }
    return fold(items, each, args)
  }

interface Each {
  /** Charges the cost of the iteration itself, in cel-go's units, besides that of the body. */
  charge(units: number): void
  value(node: Node, item: Value): Value
  /** The boolean result, or the error that prevented it. */
  verdict(node: Node, item: Value): boolean | CelError
}

/** One deciding item is enough, even if others can't be evaluated. `looked`: those of the units that pay for reading the accumulator. */
const quantifier = (deciding: boolean, units: number, looked: number): Macro =>
  overItems((items, { charge, verdict }, [predicate]) => {
    let failure: CelError | undefined
    for (const [at, item] of items.entries()) {
      charge(units)
      const found = verdict(predicate!, item)
      if (found === deciding) {
        if (at < items.length - 1) charge(looked)
        return deciding
      }
      if (typeof found !== 'boolean') failure ??= found
    }
    if (failure) throw failure
    return !deciding
  }, 1)

/** The items for which a predicate is true, at this many units each. */
const chosen = (items: readonly Value[], { verdict, charge }: Each, predicate: Node, units: number): readonly Value[] =>
  items.filter(item => {
    const found = verdict(predicate, item)
    if (typeof found !== 'boolean') throw found
    if (found) charge(units)
    return found
  })

const overOptional =
  (wrap: (value: Value) => Value, units: number): Macro =>
  (receiver, [variable, body], scope, { run, charge, isMetered }) => {
    const optional = run(receiver, scope)
    if (!(optional instanceof Optional)) throw noSuchOverload(`hasValue(${typeName(optional)})`)
    const { value } = optional
    // Expands to `a.hasValue() ? optional.of(body over a.value()) : optional.none()`.
    charge(value === undefined ? 2 : 1 + units)
    if (value === undefined) return optional
    const name = variableOf(variable!)
    let isUnasked = isMetered
    const find = (wanted: string): Value | undefined => {
      if (wanted !== name) return scope.find(wanted)
      if (isUnasked) {
        isUnasked = false
        run(receiver, scope)
        charge(1)
      }
      return value
    }
    return toNativeValue(wrap(run(body!, { find })))
  }

const orElse =
  (orValue: boolean): Macro =>
  (receiver, [other], scope, { run }) => {
    const optional = run(receiver, scope)
    // As in cel-go, a value that is not optional counts as present.
    if (!(optional instanceof Optional)) return optional
    if (optional.value === undefined) return run(other!, scope)
    return orValue ? optional.value : optional
  }

/** `requireSound` has checked that it is a name. */
const variableOf = ({ args }: Node): string => args as string

/** The cost of appending a one-item list; creating one from a constant is free. */
const added = (transform: Node): number => (isConstant(transform) ? 2 : 12)

/** By name and number of arguments. A call with other arguments is a method call. */
export const macros: ReadonlyMap<string, Macro> = new Map([
  ['all/2', quantifier(false, 3, 2)],
  ['exists/2', quantifier(true, 4, 3)],
  ['exists_one/2', overItems((items, each, [predicate]) => chosen(items, each, predicate!, 2).length === 1, 2)],
  [
    'map/2',
    overItems((items, { charge, value }, [transform]) => {
      charge(added(transform!) * items.length)
      return items.map(item => value(transform!, item))
    }, 1),
  ],
  [
    'map/3',
    overItems(
      (items, each, [predicate, transform]) =>
        items.flatMap(item =>
          chosen([item], each, predicate!, added(transform!)).map(one => each.value(transform!, one)),
        ),
      1,
    ),
  ],
  ['filter/2', overItems((items, each, [predicate]) => chosen(items, each, predicate!, 13).map(toNativeValue), 1)],
  ['optMap/2', overOptional(value => new Optional(value), 1)],
  ['optFlatMap/2', overOptional(value => value, 0)],
  ['or/1', orElse(false)],
  ['orValue/1', orElse(true)],
])
