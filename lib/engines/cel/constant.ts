import { conversions } from './functions/conversions.ts'
import type { Node } from './syntax.ts'

/** Cached results: an expression that iterates over items checks the same nodes repeatedly. */
const known = new WeakMap<Node, boolean>()

/** Whether the value is the same for all data, as far as cel-go knows: literals, and conversions of them. */
export const isConstant = (node: Node): boolean => {
  if (node.op === 'value') return true
  let result = known.get(node)
  if (result === undefined) {
    result = hasConstantParts(node)
    known.set(node, result)
  }
  return result
}

const hasConstantParts = ({ op, args }: Node): boolean => {
  if (op === '-_') return ['bigint', 'number'].includes(typeof (args as Node).args)
  if (op === 'list') return (args as readonly Node[]).every(isConstant)
  if (op === 'map') return (args as readonly (readonly Node[])[]).flat().every(isConstant)
  if (op !== 'call') return false
  const [name, given] = args as readonly [string, readonly Node[]]
  return conversions.has(name) && given.length === 1 && isConstant(given[0]!)
}
