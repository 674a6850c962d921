/** What cel-go checks at compile time: constants that can't be converted, regular expressions, malformed calls. */
import { Budget } from '../../foundations/budget/budget.ts'
import { CelError } from './cel-error.ts'
import { isConstant } from './constant.ts'
import { evaluate } from './evaluate.ts'
import { isFunction, wrongCount } from './functions/all.ts'
import { conversions } from './functions/conversions.ts'
import { macros } from './macros.ts'
import { compile } from './matches.ts'
import type { Node } from './syntax.ts'
import { goTypeName, type Value } from './values.ts'

/** Fails with a CelError of the stage `parse`. */
export const requireSound = (part: unknown): void => {
  if (Array.isArray(part)) for (const each of part) requireSound(each)
  if (!isNode(part)) return
  // 2^63 only fits with a minus sign.
  if (part.op === '-_' && (part.args as Node).args === tooLarge) return
  if (typeof part.args === 'bigint' && part.args >= tooLarge) throw new CelError('parse', 'invalid int literal')
  requireSound(part.args)
  const call = callOf(part)
  if (part.op === '[]' || part.op === '[?]') requireStep(part.args as readonly [Node, Node])
  if (call) requireCall(part, call)
}

const tooLarge = 2n ** 63n

interface Call {
  readonly name: string
  readonly args: readonly Node[]
}

/** Methods are functions of their receiver; undefined for macros. */
const callOf = ({ op, args }: Node): Call | undefined => {
  if (op === 'call') {
    const [name, given] = args as readonly [string, readonly Node[]]
    return { name, args: given }
  }
  if (op !== 'rcall') return undefined
  const [method, receiver, given] = args as readonly [string, Node, readonly Node[]]
  const qualified = `${receiver.args}.${method}`
  if (receiver.op === 'id' && isFunction(qualified)) return { name: qualified, args: given }
  if (macros.has(`${method}/${given.length}`)) {
    if (method.startsWith('opt') && given[0]!.op !== 'id')
      throw new CelError('parse', `${method}() variable name must be a simple identifier`)
    return undefined
  }
  return { name: method, args: [receiver, ...given] }
}

const requireCall = (part: Node, { name, args }: Call): void => {
  if (part.op === 'call' && name === 'has' && args.length === 1) {
    if (args[0]!.op !== '.') throw new CelError('parse', 'invalid argument to has() macro')
    return
  }
  const problem = wrongCount(name, args.length)
  if (problem) throw invalidNode(problem)
  const [first, second] = args
  try {
    if (conversions.has(name) && args.length === 1 && isConstant(first!)) evaluate(part, nothing, new Budget())
    if (name === 'matches' && isConstant(second!)) {
      const pattern = evaluate(second!, nothing, new Budget())
      if (typeof pattern === 'string') compile(pattern)
    }
  } catch (error) {
    throw invalidNode((error as Error).message, error)
  }
}

const nothing = { find: () => undefined }

const requireStep = ([of, index]: readonly [Node, Node]): void => {
  if (!isConstant(index)) {
    if (of.op === 'call' && (of.args as readonly unknown[])[0] === 'has')
      throw invalidNode('test only expressions must have constant qualifiers')
    return
  }
  const key = evaluate(index, nothing, new Budget())
  const type = goTypeName(key)
  if (isKey(key)) return
  throw invalidNode(`invalid qualifier type: ${type}`)
}

const isKey = (value: Value): boolean =>
  ['Bool', 'Int', 'Uint', 'Double', 'String'].some(name => goTypeName(value) === `types.${name}`)

const invalidNode = (why: string, cause?: unknown): CelError =>
  new CelError('parse', `failed to create CEL program: ${why}`, cause)

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value
