/** What an expression may cost at most, told from it and the sizes of its data, as Kubernetes reckons (cel-go's units). */
import { optionalEntry } from '../known-syntax.ts'
import type { Node } from '../syntax.ts'
import { Uint } from '../values.ts'
import { callEstimate } from './calls.ts'
import { macroEstimate } from './macros.ts'
import type { Estimate, Estimator, Variables } from './part.ts'
import { bool, dyn, eitherEntry, int, made, perCharacter, sizeOf, text } from './part.ts'
import { either, exactly, plus, type Range, scaled } from './range.ts'
import type { Shape } from './shape.ts'

/** Units at most, for a rule about data of a shape. */
export const estimatedCost = (root: Node, self: Shape): number => {
  const sizeAt = (path: readonly string[]): Range | undefined => {
    if (path.length === 0) return undefined
    let at: Shape | undefined = self
    for (const name of path.slice(1)) {
      if (name === '@keys') at = at.type === 'map' ? text : undefined
      else if (name === '@items' || name === '@values') at = at.item
      else at = at.fields?.get(name)
      if (!at) return undefined
    }
    return { min: 0, max: at.most }
  }
  const estimator: Estimator = {
    sizeAt,
    run: (node, variables) => {
      const found = parts[node.op]?.(node.args as never, variables, estimator) ?? {
        cost: exactly(1),
        type: dyn,
        path: [],
      }
      const size = found.size ?? sizeAt(found.path) ?? (isScalar(found.type) ? exactly(1) : undefined)
      return { ...found, ...(size && { size }) }
    },
  }
  const variables = new Map([
    ['self', { type: self, path: ['self'] }],
    ['oldSelf', { type: self, path: ['oldSelf'] }],
  ])
  return estimator.run(root, variables).cost.max
}

const scalars: ReadonlySet<Shape['type']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp'])
const isScalar = ({ type, item }: Shape): boolean =>
  scalars.has(type) || (type === 'optional' && !!item && isScalar(item))

type Part = (args: never, variables: Variables, estimator: Estimator) => Estimate

const parts: Readonly<Record<string, Part>> = {
  __proto__: null as never,
  value: (value: unknown) => ({ cost: exactly(0), path: [], ...literal(value) }),
  id: (name: string, variables) => {
    const known = variables.get(name)
    return known ? { ...known, cost: exactly(1) } : { cost: exactly(1), type: dyn, path: [name] }
  },
  '.': ([of, name]: readonly [Node, string], variables, { run }) => {
    const operand = run(of, variables)
    const { type, item, fields } = operand.type
    const isLookUp = type === 'map' || type === 'object'
    return {
      cost: plus(operand.cost, exactly(isLookUp ? 1 : 0)),
      type: (type === 'map' ? item : fields?.get(name)) ?? dyn,
      path: [...operand.path, name],
    }
  },
  '.?': ([of, name]: readonly [Node, string], variables, { run }) => {
    const { cost, type } = run(of, variables)
    return {
      cost: plus(cost, exactly(1)),
      type: made('optional', type.fields?.get(name) ?? type.item ?? dyn),
      path: [],
    }
  },
  '[]': ([of, at]: readonly [Node, Node], variables, { run }) => {
    const [container, index] = [run(of, variables), run(at, variables)]
    const { type, item = dyn } = container.type
    const step = type === 'list' ? ['@items'] : type === 'map' ? ['@values'] : undefined
    return {
      cost: plus(container.cost, index.cost, exactly(1)),
      type: item,
      path: step ? [...container.path, ...step] : [],
      ...(container.entry && { size: container.entry.value }),
    }
  },
  '[?]': ([of, at]: readonly [Node, Node], variables, { run }) => {
    const [container, index] = [run(of, variables), run(at, variables)]
    const type = made('optional', container.type.item ?? dyn)
    return { cost: plus(container.cost, index.cost, exactly(1)), type, path: [] }
  },
  list: (items: readonly Node[], variables, { run }) => {
    const found = items.map(item => run(item, variables))
    return {
      cost: plus(exactly(10), ...found.map(({ cost }) => cost)),
      type: made('list', found[0]?.type ?? dyn),
      path: [],
      size: exactly(items.length),
      entry: { key: exactly(1), value: found.map(sizeOf).reduce(either, found[0] ? sizeOf(found[0]) : exactly(0)) },
    }
  },
  map: (entries: readonly (readonly [Node, Node])[], variables, { run }) => {
    const [keys, values] = [0, 1].map(side => entries.map(entry => run(entry[side as 0], variables)))
    const among = (found: readonly Estimate[]) =>
      found.map(sizeOf).reduce(either, found[0] ? sizeOf(found[0]) : exactly(0))
    return {
      cost: plus(exactly(30), ...[...keys!, ...values!].map(({ cost }) => cost)),
      type: made('map', values![0]?.type ?? dyn),
      path: [],
      size: exactly(entries.length),
      entry: { key: among(keys!), value: among(values!) },
    }
  },
  '?:': (nodes: readonly [Node, Node, Node], variables, { run }) => {
    const [condition, yes, no] = nodes.map(node => run(node, variables)) as [Estimate, Estimate, Estimate]
    const entry = eitherEntry(yes.entry, no.entry)
    return {
      cost: plus(condition.cost, either(yes.cost, no.cost)),
      type: yes.type.type === no.type.type ? yes.type : dyn,
      path: [],
      size: either(sizeOf(yes), sizeOf(no)),
      ...(entry && { entry }),
    }
  },
  '||': junction,
  '&&': junction,
  '!_': (operand: Node, variables, { run }) => one(bool, run(operand, variables)),
  '-_': (operand: Node, variables, { run }) => {
    const found = run(operand, variables)
    return operand.op === 'value' ? found : one(found.type, found)
  },
  '==': binary(equality),
  '!=': binary(equality),
  '<': binary(comparison),
  '<=': binary(comparison),
  '>': binary(comparison),
  '>=': binary(comparison),
  in: binary((member, container) => {
    const listed = scaled(sizeOf(container), 1)
    const own = { list: listed, dyn: either(listed, exactly(1)) }[container.type.type as 'list' | 'dyn'] ?? exactly(1)
    return { cost: plus(own, member.cost, container.cost), type: bool, path: [] }
  }),
  '+': binary(addition),
  '-': binary((a, b) => one(a.type, a, b)),
  '*': binary((a, b) => one(a.type, a, b)),
  '/': binary((a, b) => one(a.type, a, b)),
  '%': binary((a, b) => one(a.type, a, b)),
  call: ([name, nodes]: readonly [string, readonly Node[]], variables, estimator) => {
    const [only] = nodes
    if (name === optionalEntry && only) return estimator.run(only, variables)
    // Asking whether a field is there is free, getting to it is not.
    if (name === 'has' && only) {
      const [of] = only.args as readonly [Node]
      return { cost: estimator.run(of, variables).cost, type: bool, path: [] }
    }
    return callEstimate(
      name,
      undefined,
      nodes.map(node => estimator.run(node, variables)),
      estimator,
    )
  },
  rcall: ([name, receiver, nodes]: readonly [string, Node, readonly Node[]], variables, estimator) => {
    const folded = macroEstimate(name, receiver, nodes, variables, estimator)
    if (folded) return folded
    const args = nodes.map(node => estimator.run(node, variables))
    const namespace = receiver.op === 'id' && !variables.has(receiver.args as string) && (receiver.args as string)
    if (namespace) return callEstimate(`${namespace}.${name}`, undefined, args, estimator)
    return callEstimate(name, estimator.run(receiver, variables), args, estimator)
  },
}

function binary(judge: (a: Estimate, b: Estimate) => Estimate): Part {
  return ([a, b]: readonly [Node, Node], variables, { run }) => judge(run(a, variables), run(b, variables))
}

function junction([a, b]: readonly [Node, Node], variables: Variables, { run }: Estimator): Estimate {
  const [left, right] = [run(a, variables).cost, run(b, variables).cost]
  return { cost: { min: left.min, max: plus(left, right).max }, type: bool, path: [] }
}

const one = (type: Shape, ...operands: readonly Estimate[]): Estimate => ({
  cost: plus(exactly(1), ...operands.map(({ cost }) => cost)),
  type: made(type.type, type.item),
  path: [],
})

/** Two are gone over as far as the shorter one reaches. */
function equality(a: Estimate, b: Estimate): Estimate {
  const most = Math.min(sizeOf(a).max, sizeOf(b).max)
  const own = scaled({ min: most > 0 ? 1 : 0, max: most }, perCharacter)
  return { cost: plus(own, a.cost, b.cost), type: bool, path: [] }
}

const texts: ReadonlySet<Shape['type']> = new Set(['string', 'bytes'])

function comparison(a: Estimate, b: Estimate): Estimate {
  const areTexts = texts.has(a.type.type) || texts.has(b.type.type)
  if (areTexts) return equality(a, b)
  const number = one(bool, a, b)
  if (a.type.type !== 'dyn' || b.type.type !== 'dyn') return number
  return { ...number, cost: either(number.cost, equality(a, b).cost) }
}

function addition(a: Estimate, b: Estimate): Estimate {
  const type = a.type.type === 'dyn' ? b.type : a.type
  const size = plus(sizeOf(a), sizeOf(b))
  const operands = plus(a.cost, b.cost)
  const joined = plus(scaled(size, perCharacter), operands)
  if (texts.has(type.type)) return { cost: joined, type: made(type.type), path: [], size }
  const simple = one(type, a, b)
  if (type.type === 'list') {
    const entry = eitherEntry(a.entry, b.entry)
    return { ...simple, size, ...(entry && { entry }) }
  }
  return type.type === 'dyn' ? { ...simple, cost: either(simple.cost, joined), size } : simple
}

const literal = (value: unknown): Pick<Estimate, 'type' | 'size'> => {
  if (typeof value === 'string') return { type: text, size: exactly([...value].length) }
  if (value instanceof Uint8Array) return { type: made('bytes'), size: exactly(value.length) }
  if (typeof value === 'boolean') return { type: bool, size: exactly(1) }
  if (typeof value === 'number') return { type: made('double'), size: exactly(1) }
  if (typeof value === 'bigint' || value instanceof Uint) return { type: int, size: exactly(1) }
  return { type: value === null ? dyn : int, size: exactly(1) }
}
