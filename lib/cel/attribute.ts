import { UnknownAttribute } from './cel-error.ts'
import type { Evaluator, Scope } from './evaluator.ts'
import type { Node } from './syntax.ts'
import type { Value } from './values.ts'

/** What a step is taken from: `a` of `a.b` or `a['b']`. Where its name stands for nothing, the error names the step, too. */
export const target = (of: Node, step: string | Node, scope: Scope, { run }: Evaluator): Value => {
  try {
    return run(of, scope)
  } catch (error) {
    const name = writtenName(step)
    if (!(error instanceof UnknownAttribute) || name === undefined || !isAttribute(of)) throw error
    throw new UnknownAttribute(`${error.path}.${name}`)
  }
}

/** A name, or steps from one by names that are written down. */
const isAttribute = ({ op, args }: Node): boolean => {
  if (op === 'id') return true
  if (!['.', '.?', '[]', '[?]'].includes(op)) return false
  const [of, step] = args as readonly [Node, string | Node]
  return writtenName(step) !== undefined && isAttribute(of)
}

const writtenName = (step: string | Node): string | undefined => {
  if (typeof step === 'string') return step
  return step.op === 'value' && typeof step.args === 'string' ? step.args : undefined
}
