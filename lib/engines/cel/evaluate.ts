/** Evaluates an expression with given data. Walks the syntax tree within a budget. */
import type { Budget } from '../../foundations/budget/budget.ts'
import { calculate, negate } from './arithmetic.ts'
import { CelError, CostLimitExceeded, evaluationError, noSuchOverload, UnknownAttribute } from './cel-error.ts'
import { compare, contains, equals } from './compare.ts'
import { isConstant } from './constant.ts'
import { callCost, sizeOf, traversal } from './cost/actual.ts'
import { attempt, type Evaluator, type Meter, type Scope } from './evaluator.ts'
import { call, isFunction } from './functions/all.ts'
import { optionalEntry } from './known-syntax.ts'
import { macros } from './macros.ts'
import { WrittenMap } from './map.ts'
import { printed } from './printed.ts'
import { select, selectOptional } from './select.ts'
import type { Spend } from './spend.ts'
import { spendOnValue } from './spend-on-value.ts'
import { pathOf, runPart, step, stepIfAny, target } from './steps.ts'
import type { Node } from './syntax.ts'
import { toNativeValue } from './to-native-value.ts'
import { CelType, isList, Optional, Uint, type Value } from './values.ts'

/** Budget steps of a call, whatever its arguments. */
const callSteps = 8

/**
 * Fails with a CelError of the stage `evaluation`, with CostLimitExceeded if there is a meter, and with BudgetExceeded. A step of the
 * budget is about 50 ns of work.
 */
export const evaluate = (root: Node, scope: Scope, budget: Budget, meter?: Meter): Value => {
  const spend = (steps: number): void => budget.spend('steps', steps)
  const charge = (units: number): void => {
    if (!meter) return
    meter.used += units
    if (meter.used > meter.limit) throw new CostLimitExceeded()
  }
  const run = (node: Node, scope: Scope): Value => {
    spend(1)
    // cel-go folds constants at compile time.
    const own = meter && isConstant(node) ? free : evaluator
    const value = operators[node.op]!(node.args as never, scope, own)
    own.charge(costs[node.op] ?? 0)
    if (typeof value === 'string' || isList(value)) spend(value.length >> 6)
    return value
  }
  const evaluator: Evaluator = { run, spend, charge, isMetered: meter !== undefined }
  const free: Evaluator = { run, spend, charge: () => {}, isMetered: false }
  return run(root, scope)
}

type Operate = (args: never, scope: Scope, evaluator: Evaluator) => Value

/** Operators with a fixed cost; the others cost by the size of their operands. */
const costs: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['!_', '-_', '-', '*', '/', '%'].map(op => [op, 1])),
  list: 10,
  map: 30,
}

const binary =
  (work: (a: Value, b: Value, spend: Spend) => Value, cost: (a: Value, b: Value) => number = () => 0): Operate =>
  ([left, right]: readonly [Node, Node], scope, { run, spend, charge, isMetered }) => {
    const [a, b] = [run(left, scope), run(right, scope)]
    if (isMetered) charge(cost(a, b))
    return work(a, b, spend)
  }

const types: ReadonlyMap<string, Value> = new Map(
  ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type', 'optional_type'].map(
    name => [name, new CelType(name)],
  ),
)

const qualifiedTypes = ['google.protobuf.Timestamp', 'google.protobuf.Duration']

const operators: Readonly<Record<string, Operate>> = {
  value: literal,
  id: (name: string, scope, { charge }) => {
    const value = scope.find(name)
    if (value !== undefined) {
      charge(1)
      return toNativeValue(value)
    }
    const type = types.get(name)
    if (!type) throw new UnknownAttribute(name)
    return type
  },
  '.': ([of, name]: readonly [Node, string], scope, evaluator) => {
    const qualified = qualifiedTypes.find(type => type === `${pathOf(of)}.${name}`)
    return qualified ? new CelType(qualified) : step(of, name, () => name, scope, evaluator)
  },
  '.?': ([of, name]: readonly [Node, string], scope, evaluator) => stepIfAny(of, name, () => name, scope, evaluator),
  '[]': ([of, at]: readonly [Node, Node], scope, evaluator) =>
    step(of, at, () => runPart(at, scope, evaluator), scope, evaluator),
  '[?]': ([of, at]: readonly [Node, Node], scope, evaluator) =>
    stepIfAny(of, at, () => runPart(at, scope, evaluator), scope, evaluator),
  list: (items: readonly Node[], scope, { run }) =>
    items.flatMap(node => {
      const entry = entryOf(node)
      if (!entry) return [run(node, scope)]
      const { value } = optional(run(entry, scope), 'list element')
      return value === undefined ? [] : [value]
    }),
  map: (entries: readonly (readonly [Node, Node])[], scope, { run }) => {
    const map = new WrittenMap()
    for (const [keyNode, valueNode] of entries) {
      const entry = entryOf(keyNode)
      const key = run(entry ?? keyNode, scope)
      const found = run(valueNode, scope)
      const value = entry ? optional(found, `entry '${printed(key)}'`).value : found
      if (value === undefined) map.delete(key)
      else map.set(key, value)
    }
    return map
  },
  '?:': ([condition, yes, no]: readonly [Node, Node, Node], scope, evaluator) => {
    const holds = evaluator.run(condition, scope)
    if (typeof holds !== 'boolean') throw noSuchOverload()
    return toNativeValue(runPart(holds ? yes : no, scope, evaluator))
  },
  '||': ([a, b]: readonly [Node, Node], scope, evaluator) => either(true, a, b, scope, evaluator),
  '&&': ([a, b]: readonly [Node, Node], scope, evaluator) => either(false, a, b, scope, evaluator),
  '!_': (operand: Node, scope, { run }) => {
    const value = run(operand, scope)
    if (typeof value !== 'boolean') throw noSuchOverload()
    return !value
  },
  '-_': (operand: Node, scope, { run }) => negate(run(operand, scope)),
  '==': binary((a, b, spend) => equals(a, b, spend), shorter),
  '!=': binary((a, b, spend) => !equals(a, b, spend), shorter),
  '<': binary((a, b, spend) => compare(a, b, '<', spend) < 0, shorter),
  '<=': binary((a, b, spend) => compare(a, b, '<=', spend) <= 0, shorter),
  '>': binary((a, b, spend) => compare(a, b, '>', spend) > 0, shorter),
  '>=': binary((a, b, spend) => compare(a, b, '>=', spend) >= 0, shorter),
  in: ([member, container]: readonly [Node, Node], scope, evaluator) => {
    // In Kubernetes' rules cel-go looks values up in such a list as in a set, and skips evaluating the value if the list is empty.
    if (
      evaluator.isMetered &&
      container.op === 'list' &&
      (container.args as readonly Node[]).every(({ op }) => op === 'value')
    ) {
      if ((container.args as readonly Node[]).length === 0) return false
      return contains(evaluator.run(container, scope), evaluator.run(member, scope), evaluator.spend)
    }
    return search([member, container] as never, scope, evaluator)
  },
  '+': binary((a, b) => calculate('+', a, b), joined),
  '-': binary((a, b) => calculate('-', a, b)),
  '*': binary((a, b) => calculate('*', a, b)),
  '/': binary((a, b) => calculate('/', a, b)),
  '%': binary((a, b) => calculate('%', a, b)),
  call: ([name, args]: readonly [string, readonly Node[]], scope, evaluator) => {
    if (name === 'has' && args.length === 1) return has(args[0]!, scope, evaluator)
    return invoke(name, args, scope, evaluator)
  },
  rcall: ([name, receiver, args]: readonly [string, Node, readonly Node[]], scope, evaluator) => {
    const macro = macros.get(`${name}/${args.length}`)
    if (macro) return macro(receiver, args, scope, evaluator)
    const qualified = `${pathOf(receiver)}.${name}`
    if (isFunction(qualified)) return invoke(qualified, args, scope, evaluator)
    return invoke(`.${name}`, [receiver, ...args], scope, evaluator)
  },
}

const invoke = (
  key: string,
  args: readonly Node[],
  scope: Scope,
  { run, spend, charge, isMetered }: Evaluator,
): Value => {
  const values = args.map(arg => run(arg, scope))
  spend(callSteps)
  for (const value of values) spendOnValue(value, spend)
  const name = key.replace(/^\./, '')
  // cel-go compiles a constant regular expression in advance, and then accepts only strings.
  if (name === 'matches' && typeof values[0] !== 'string' && isConstant(args[1]!)) throw noSuchOverload()
  const result = call(name, values, spend)
  if (isMetered) charge(callCost(key, values, result))
  return result
}

const search = binary(
  (member, container, spend) => contains(container, member, spend),
  (_, container) => (isList(container) ? container.length : 1),
)

/** Comparing two values takes as long as the shorter one. */
function shorter(a: Value, b: Value): number {
  return traversal(Math.min(sizeOf(a), sizeOf(b)))
}

function joined(a: Value, b: Value): number {
  return typeof a === 'string' || a instanceof Uint8Array ? traversal(sizeOf(a) + sizeOf(b)) : 1
}

const optional = (value: Value, what: string): Optional => {
  if (value instanceof Optional) return value
  throw evaluationError(
    `cannot initialize optional ${what} from non-optional value ${printed(value)}`,
    'cannot initialize an optional element from a non-optional value',
  )
}

const entryOf = ({ op, args }: Node): Node | undefined => {
  if (op !== 'call') return undefined
  const [name, [entry]] = args as readonly [string, readonly Node[]]
  return name === optionalEntry ? entry : undefined
}

/** A logical operator: one deciding side is enough, even if the other can't be evaluated. */
const either = (deciding: boolean, a: Node, b: Node, scope: Scope, evaluator: Evaluator): boolean => {
  const first = attempt(a, scope, evaluator)
  if (first === deciding) return deciding
  const second = attempt(b, scope, evaluator)
  if (second === deciding) return deciding
  if (first instanceof CelError) throw first
  if (second instanceof CelError) throw second
  return !deciding
}

/** `has(a.b)`: whether the last field is present. Everything before it must be. */
const has = ({ args }: Node, scope: Scope, evaluator: Evaluator): boolean => {
  const [of, name] = args as readonly [Node, string]
  const value = target(of, name, scope, evaluator)
  const found = value instanceof Optional ? selectOptional(value, () => name).value : select(value, name)
  return found !== undefined
}

/** The parser has its own class for unsigned integers. */
function literal(value: Value | { readonly value: bigint }): Value {
  const isUnsigned = typeof value === 'object' && value !== null && 'value' in value
  return isUnsigned ? new Uint(value.value as bigint) : (value as Value)
}
