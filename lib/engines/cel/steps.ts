/** Steps: `a.b`, `a['b']`, and those that may lead nowhere. */
import { UnknownAttribute } from './cel-error.ts'
import type { Evaluator, Scope } from './evaluator.ts'
import { selectOptional, selectPresent } from './select.ts'
import type { Node } from './syntax.ts'
import { CelType, Optional, type Value } from './values.ts'

/** Within steps, and choices among such, a name is not counted, only the steps from it. */
export const runPart = (part: Node, scope: Scope, { run, charge }: Evaluator): Value => {
  const value = run(part, scope)
  if (isPath(part)) charge(-1)
  return value
}

/** Where steps begin is counted as a name is, but at a choice. */
const isCounted = (of: Node): boolean => isPath(of) || of.op === '?:'

type Key = () => Value

export const step = (of: Node, at: string | Node, key: Key, scope: Scope, evaluator: Evaluator): Value => {
  const value = target(of, at, scope, evaluator)
  if (value instanceof Optional) return stepOf(value, of, () => keyOf(of, at, key), evaluator)
  const found = selectPresent(value, keyOf(of, at, key), typeof at === 'string' || at.op === 'value')
  evaluator.charge(isCounted(of) ? 1 : 2)
  return found
}

export const stepIfAny = (of: Node, at: string | Node, key: Key, scope: Scope, evaluator: Evaluator): Optional => {
  const value = target(of, at, scope, evaluator)
  return stepOf(value instanceof Optional ? value : new Optional(value), of, () => keyOf(of, at, key), evaluator)
}

const stepOf = (optional: Optional, of: Node, key: Key, { charge }: Evaluator): Optional => {
  const found = selectOptional(optional, key)
  charge((isCounted(of) ? 0 : 1) + (found.value === undefined ? 0 : 1))
  return found
}

/** Where a step leads. When a name in it stands for nothing, cel-go's error names what the step was taken from, where that is steps itself. */
const keyOf = (of: Node, at: string | Node, key: Key): Value => {
  try {
    return key()
  } catch (error) {
    const isAttribute = leadOf(at as Node) || (at as Node).op === '?:'
    if (!(error instanceof UnknownAttribute) || !isAttribute) throw error
    const names = leadOf(of)?.names
    throw names && names.length > 1 ? new UnknownAttribute(names.join('.')) : error
  }
}

/** The names that steps begin with, as far as they are written down: `a`, `b` of `a.b[0].c`. */
interface Lead {
  readonly names: readonly string[]
  /** Whether these are all the steps. */
  readonly isWhole: boolean
}

const leadOf = ({ op, args }: Node): Lead | undefined => {
  if (op === 'id') return { names: [args as string], isWhole: true }
  if (!stepping.has(op)) return undefined
  const [of, step] = args as readonly [Node, string | Node]
  const lead = leadOf(of)
  if (!lead?.isWhole) return lead
  const name = writtenName(step)
  return name === undefined ? { ...lead, isWhole: false } : { names: [...lead.names, name], isWhole: true }
}

/** What a step is taken from: `a` of `a.b` or `a['b']`. Where its name stands for nothing, the error names the step, too. */
export const target = (of: Node, step: string | Node, scope: Scope, { run }: Evaluator): Value => {
  try {
    const value = run(of, scope)
    // A type has a name, but nothing is found in it.
    if (value instanceof CelType && pathOf(of) === value.name) throw new UnknownAttribute(value.name)
    return value
  } catch (error) {
    const name = writtenName(step)
    if (!(error instanceof UnknownAttribute) || name === undefined || !isAttribute(of)) throw error
    throw new UnknownAttribute(`${error.path}.${name}`)
  }
}

/** `a.b.c` when the node is such a path, else what is the name of nothing. */
export const pathOf = ({ op, args }: Node): string | undefined => {
  if (op === 'id') return args as string
  if (op !== '.') return undefined
  const [of, name] = args as readonly [Node, string]
  return `${pathOf(of)}.${name}`
}

/** A name, or a step from whatever. */
const isPath = ({ op }: Node): boolean => op === 'id' || stepping.has(op)

const stepping: ReadonlySet<string> = new Set(['.', '.?', '[]', '[?]'])

/** A name, or steps from one by names that are written down. */
const isAttribute = ({ op, args }: Node): boolean => {
  if (op === 'id') return true
  if (!stepping.has(op)) return false
  const [of, step] = args as readonly [Node, string | Node]
  return writtenName(step) !== undefined && isAttribute(of)
}

const writtenName = (step: string | Node): string | undefined => {
  if (typeof step === 'string') return step
  return step.op === 'value' && typeof step.args === 'string' ? step.args : undefined
}
