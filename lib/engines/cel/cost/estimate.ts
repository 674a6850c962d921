/** The maximum cost of an expression, estimated from the expression and the sizes of its data as Kubernetes does (in cel-go's units). */
import { optionalEntry } from '../known-syntax.ts'
import type { Node } from '../syntax.ts'
import { callEstimate } from './calls.ts'
import { macroEstimates } from './macros.ts'
import type { Estimate, Estimator, Variables } from './part.ts'
import { dyn, isText, made, perCharacter, scalar, sizeOf, text, traversed } from './part.ts'
import { bounded, either, eitherIfKnown, exactly, plus, type Range } from './range.ts'
import type { Shape } from './shape.ts'

/** The maximum cost in cel-go's units, for a rule about data of this shape. */
export const estimatedCost = (root: Node, self: Shape): number => {
  const sizeAt = (path: readonly string[]): Range | undefined => {
    if (path.length === 0) return undefined
    let at: Shape | undefined = self
    for (const name of path.slice(1)) {
      if (name === '@keys') at = text
      else if (name === '@items') at = at.item
      else at = at.fields?.get(name)
      if (!at) return undefined
    }
    return { min: 0, max: at.max }
  }
  const estimator: Estimator = {
    sizeAt,
    run: (node, variables) => {
      const found = parts[node.op]!(node.args as never, variables, estimator)
      const size = found.size ?? sizeAt(found.path) ?? (isScalar(found.type) ? exactly(1) : undefined)
      return { ...found, cost: bounded(found.cost), ...(size && { size }) }
    },
  }
  const variables = new Map(['self', 'oldSelf'].map(name => [name, { type: self, path: [name] }]))
  return estimator.run(root, variables).cost
}

const isScalar = ({ type, item }: Shape): boolean => type === 'scalar' || (type === 'optional' && isScalar(item!))

type Part = (args: never, variables: Variables, estimator: Estimator) => Estimate

const parts: Readonly<Record<string, Part>> = {
  value: (value: unknown) => ({ cost: 0, path: [], ...written(value) }),
  id: (name: string, variables) => ({ type: dyn, path: [name], ...variables.get(name), cost: 1 }),
  '.': ([of, name]: readonly [Node, string], variables, { run }) => {
    const operand = run(of, variables)
    const { type, item, fields } = operand.type
    return {
      cost: operand.cost + (type === 'map' || type === 'object' ? 1 : 0),
      type: (type === 'map' ? item : fields?.get(name)) ?? dyn,
      path: [...operand.path, name],
    }
  },
  '.?': ([of, name]: readonly [Node, string], variables, { run }) => {
    const { cost, type } = run(of, variables)
    return { cost: cost + 1, type: made('optional', type.fields?.get(name) ?? type.item ?? dyn), path: [] }
  },
  '[]': ([of, at]: readonly [Node, Node], variables, { run }) => {
    const { cost, type, path, itemSize } = run(of, variables)
    return {
      cost: cost + run(at, variables).cost + 1,
      type: type.item ?? dyn,
      path: type.type === 'optional' ? [] : [...path, '@items'],
      ...(itemSize && { size: itemSize }),
    }
  },
  '[?]': ([of, at]: readonly [Node, Node], variables, { run }) => {
    const { cost, type } = run(of, variables)
    return { cost: cost + run(at, variables).cost + 1, type: made('optional', type.item ?? dyn), path: [] }
  },
  list: (items: readonly Node[], variables, { run }) => {
    const found = items.map(item => run(item, variables))
    return {
      cost: 10 + costOf(found),
      type: made('list', found[0]?.type ?? dyn),
      path: [],
      size: exactly(items.length),
      itemSize: sizeAmong(found),
    }
  },
  map: (entries: readonly (readonly [Node, Node])[], variables, { run }) => {
    const keys = entries.map(([key]) => run(key, variables))
    const values = entries.map(([, value]) => run(value, variables))
    return {
      cost: 30 + costOf(keys) + costOf(values),
      type: made('map', values[0]?.type ?? dyn),
      path: [],
      size: exactly(entries.length),
      itemSize: sizeAmong(values),
    }
  },
  '?:': (nodes: readonly [Node, Node, Node], variables, { run }) => {
    const [condition, yes, no] = nodes.map(node => run(node, variables)) as [Estimate, Estimate, Estimate]
    const itemSize = eitherIfKnown(yes.itemSize, no.itemSize)
    return {
      cost: condition.cost + Math.max(yes.cost, no.cost),
      type: yes.type.type === no.type.type ? yes.type : dyn,
      path: [],
      size: either(sizeOf(yes), sizeOf(no)),
      ...(itemSize && { itemSize }),
    }
  },
  '||': binary((a, b) => ({ cost: a.cost + b.cost, type: scalar, path: [] })),
  '&&': binary((a, b) => ({ cost: a.cost + b.cost, type: scalar, path: [] })),
  '!_': (operand: Node, variables, { run }) => one(scalar, run(operand, variables)),
  '-_': (operand: Node, variables, { run }) => {
    const found = run(operand, variables)
    if (operand.op !== 'value') return one(found.type, found)
    return { ...found, literal: -(found.literal as bigint) }
  },
  '==': binary(equality),
  '!=': binary(equality),
  '<': binary(comparison),
  '<=': binary(comparison),
  '>': binary(comparison),
  '>=': binary(comparison),
  in: binary((member, container) => {
    const listed = sizeOf(container).max
    const own = { list: listed, dyn: Math.max(listed, 1) }[container.type.type as 'list' | 'dyn'] ?? 1
    return { cost: own + member.cost + container.cost, type: scalar, path: [] }
  }),
  '+': binary(addition),
  '-': binary((a, b) => one(a.type, a, b)),
  '*': binary((a, b) => one(a.type, a, b)),
  '/': binary((a, b) => one(a.type, a, b)),
  '%': binary((a, b) => one(a.type, a, b)),
  call: ([name, nodes]: readonly [string, readonly Node[]], variables, estimator) => {
    const [only] = nodes
    if (name === optionalEntry && only) {
      const entry = estimator.run(only, variables)
      return { ...entry, type: entry.type.item ?? dyn }
    }
    // Testing whether a field is present is free; reaching it is not.
    if (name === 'has' && only?.op === '.') {
      const [of] = only.args as readonly [Node]
      return { cost: estimator.run(of, variables).cost, type: scalar, path: [] }
    }
    return callEstimate(
      name,
      nodes.map(node => estimator.run(node, variables)),
      estimator,
    )
  },
  rcall: ([name, receiver, nodes]: readonly [string, Node, readonly Node[]], variables, estimator) => {
    const macro = macroEstimates.get(`${name}/${nodes.length}`)
    if (macro) return macro(receiver, nodes, variables, estimator)
    const args = nodes.map(node => estimator.run(node, variables))
    if (receiver.op === 'id' && !variables.has(receiver.args as string))
      return callEstimate(`${receiver.args}.${name}`, args, estimator)
    return callEstimate(`.${name}`, [estimator.run(receiver, variables), ...args], estimator)
  },
}

function written(literal: unknown): Pick<Estimate, 'type' | 'size' | 'literal'> {
  if (typeof literal === 'string') return { type: text, size: exactly([...literal].length) }
  if (literal instanceof Uint8Array) return { type: made('bytes'), size: exactly(literal.length) }
  return { type: scalar, literal }
}

function binary(judge: (a: Estimate, b: Estimate) => Estimate): Part {
  return ([a, b]: readonly [Node, Node], variables, { run }) => judge(run(a, variables), run(b, variables))
}

const costOf = (parts: readonly Estimate[]): number => parts.reduce((sum, { cost }) => sum + cost, 0)

const sizeAmong = ([first, ...others]: readonly Estimate[]): Range =>
  first ? others.map(sizeOf).reduce(either, sizeOf(first)) : exactly(0)

const one = (type: Shape, ...operands: readonly Estimate[]): Estimate => ({
  cost: 1 + costOf(operands),
  type: made(type.type, type.item),
  path: [],
})

/** Comparing two values takes as long as the shorter one. */
function equality(a: Estimate, b: Estimate): Estimate {
  const maxSize = Math.min(sizeOf(a).max, sizeOf(b).max)
  return { cost: Math.ceil(maxSize * perCharacter) + a.cost + b.cost, type: scalar, path: [] }
}

function comparison(a: Estimate, b: Estimate): Estimate {
  const [asTexts, asNumbers] = [equality(a, b), one(scalar, a, b)]
  if (isText(a.type) || isText(b.type)) return asTexts
  const areUnknown = a.type.type === 'dyn' && b.type.type === 'dyn'
  return areUnknown ? { ...asTexts, cost: Math.max(asTexts.cost, asNumbers.cost) } : asNumbers
}

function addition(a: Estimate, b: Estimate): Estimate {
  const type = a.type.type === 'dyn' ? b.type : a.type
  const size = plus(sizeOf(a), sizeOf(b))
  const joined = traversed(size) + a.cost + b.cost
  const simple = one(type, a, b)
  if (isText(type)) return { ...simple, cost: joined, size }
  if (type.type === 'list') {
    const itemSize = eitherIfKnown(a.itemSize, b.itemSize)
    return { ...simple, size, ...(itemSize && { itemSize }) }
  }
  return type.type === 'dyn' ? { ...simple, cost: Math.max(simple.cost, joined), size } : simple
}
