/** Access chains: `a.b`, `a['b']`, and optional ones. */
import { UnknownAttribute } from './cel-error.ts'
import type { Evaluator, Scope } from './evaluator.ts'
import { selectOptional, selectPresent } from './select.ts'
import type { Node } from './syntax.ts'
import { CelType, Optional, type Value } from './values.ts'

/** Within a chain, or a conditional over chains, a name is free and only the access counts. */
export const runPart = (part: Node, scope: Scope, { run, charge }: Evaluator): Value => {
  const value = run(part, scope)
  if (isPath(part)) charge(-1)
  return value
}

/** A chain's start counts like a name, except for a conditional. */
const isCounted = (of: Node): boolean => isPath(of) || of.op === '?:'

type Key = () => Value

/**
 * Evaluates one access, `of.at` or `of[at]`. Throws CelError for a missing key or field; on an Optional, the result is
 * one. It charges what cel-go does: a whole chain counts once.
 */
export const step = (of: Node, at: string | Node, key: Key, scope: Scope, evaluator: Evaluator): Value => {
  const value = target(of, at, scope, evaluator)
  if (value instanceof Optional) return stepOf(value, of, () => keyOf(of, at, key), evaluator)
  const found = selectPresent(value, keyOf(of, at, key), typeof at === 'string' || at.op === 'value')
  evaluator.charge(isCounted(of) ? 1 : 2)
  return found
}

/** Evaluates `of.?at` or `of[?at]`: an Optional, which is empty where the key or field is missing. */
export const stepIfAny = (of: Node, at: string | Node, key: Key, scope: Scope, evaluator: Evaluator): Optional => {
  const value = target(of, at, scope, evaluator)
  return stepOf(value instanceof Optional ? value : new Optional(value), of, () => keyOf(of, at, key), evaluator)
}

const stepOf = (optional: Optional, of: Node, key: Key, { charge }: Evaluator): Optional => {
  const found = selectOptional(optional, key)
  charge((isCounted(of) ? 0 : 1) + (found.value === undefined ? 0 : 1))
  return found
}

/** Evaluates the key. If a name in it is unknown and the receiver is itself a chain, cel-go's error names the receiver. */
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

/** The literal names that a chain begins with: `a`, `b` of `a.b[0].c`. */
interface Lead {
  readonly names: readonly string[]
  /** Whether these are the whole chain. */
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

/** The receiver: `a` of `a.b` or `a['b']`. If its name is unknown, the error includes the field. */
export const target = (of: Node, step: string | Node, scope: Scope, { run }: Evaluator): Value => {
  try {
    const value = run(of, scope)
    // A type has a name, but no fields.
    if (value instanceof CelType && pathOf(of) === value.name) throw new UnknownAttribute(value.name)
    return value
  } catch (error) {
    const name = writtenName(step)
    if (!(error instanceof UnknownAttribute) || name === undefined || !isAttribute(of)) throw error
    throw new UnknownAttribute(`${error.path}.${name}`)
  }
}

/** `a.b.c` if the node is such a path, otherwise undefined. */
export const pathOf = ({ op, args }: Node): string | undefined => {
  if (op === 'id') return args as string
  if (op !== '.') return undefined
  const [of, name] = args as readonly [Node, string]
  return `${pathOf(of)}.${name}`
}

/** A name, or an access to anything. */
const isPath = ({ op }: Node): boolean => op === 'id' || stepping.has(op)

const stepping: ReadonlySet<string> = new Set(['.', '.?', '[]', '[?]'])

/** A name, or a chain of literal names that starts with one. */
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
