import type { CommandNode, Node, Operand, PipeNode } from '../parse/node.ts'
import { writeNode } from '../parse/write-node.ts'
import { type ParameterType, Struct, type TemplateFunction, type Value } from '../values/value.ts'
import { assign, canBeNil, zeroOf } from './assign.ts'
import { compileCall, type Expression, type Stage } from './call.ts'
import { idealConstant } from './constant.ts'
import { fieldOf } from './field.ts'
import type { Run } from './run.ts'

/** Names in scope while compiling: a variable's slot is its place in the list. */
export interface Scope {
  readonly variables: { name: string; isBoxed: boolean }[]
  readonly functionNamed: (name: string) => TemplateFunction | undefined
  /** Whether dot came out of a list or map, unnamed by its own type in messages. */
  readonly dotIsBoxed: boolean
}

/** Values lose their interface at the end of each stage: a nil inside one becomes no value. */
const unboxed = (value: Value): Value => (value === null ? undefined : value)

/** Compiles a pipeline, with its declarations: they are in scope afterwards. */
export const compilePipeline = (pipe: PipeNode, scope: Scope): Expression => {
  const [first, ...rest] = pipe.commands.map((command, i) => compileCommand(command, scope, i > 0))
  const store = pipe.declarations.map(({ name }) => compileStore(name, pipe.isAssign, scope))
  if (rest.length === 0 && store.length === 0)
    return (run, dot) => {
      run.node = pipe
      return unboxed(first!(run, dot, undefined))
    }
  return (run, dot) => {
    run.node = pipe
    let value = unboxed(first!(run, dot, undefined))
    for (const stage of rest) value = unboxed(stage(run, dot, value))
    for (const set of store) set(run, value)
    return value
  }
}

/** How a variable is set, by a declaration or an assignment. */
export const compileStore = (name: string, isAssign: boolean, scope: Scope): ((run: Run, value: Value) => void) => {
  const slot = isAssign ? slotOf(name, scope) : scope.variables.push({ name, isBoxed: false }) - 1
  if (slot < 0) return run => run.fail(`undefined variable: ${name}`)
  return (run, value) => {
    run.variables[slot] = value
  }
}

const slotOf = (name: string, scope: Scope): number => scope.variables.findLastIndex(known => known.name === name)

/** Points errors at a node, then evaluates. */
const at =
  (node: Node, expression: Expression): Expression =>
  (run, dot) => {
    run.node = node
    return expression(run, dot)
  }

const compileCommand = (command: CommandNode, scope: Scope, hasFinal: boolean): Stage => {
  const [first, ...args] = command.operands
  const hasArguments = args.length > 0 || hasFinal
  switch (first.type) {
    case 'field':
    case 'chain':
    case 'variable':
      if (first.type !== 'variable' || first.fields.length > 0) return compileFields(first, scope, { args, hasFinal })
      break
    case 'identifier':
      return compileNamedCall(first, scope, { args, hasFinal, node: command })
  }
  if (hasArguments) {
    const problem = `can't give argument to non-function ${writeNode(first)}`
    return run => {
      if (first.type !== 'pipe') run.node = first
      return run.fail(problem)
    }
  }
  if (first.type === 'nil') return at(first, run => run.fail('nil is not a command'))
  return compileValue(first, scope)
}

interface Arguments {
  readonly args: readonly Operand[]
  readonly hasFinal: boolean
}
const NO_ARGUMENTS: Arguments = { args: [], hasFinal: false }

/** An operand by itself. */
const compileValue = (node: Operand, scope: Scope): Expression => {
  switch (node.type) {
    case 'dot':
      return at(node, (_, dot) => dot)
    case 'nil':
      return at(node, () => null)
    case 'bool':
      return at(node, () => node.value)
    case 'string':
      return at(node, () => node.text)
    case 'number': {
      const value = idealConstant(node)
      return at(node, run => (value === undefined ? run.fail(`${node.text} overflows int`) : value))
    }
    case 'pipe':
      return compilePipeline(node, scope)
    case 'identifier':
      return withoutFinal(compileNamedCall(node, scope, { ...NO_ARGUMENTS, node }))
    case 'variable':
      if (node.fields.length === 0) return at(node, compileVariable(node.name, scope))
      return withoutFinal(compileFields(node, scope, NO_ARGUMENTS))
    default:
      return withoutFinal(compileFields(node, scope, NO_ARGUMENTS))
  }
}

const withoutFinal =
  (stage: Stage): Expression =>
  (run, dot) =>
    stage(run, dot, undefined)

const compileVariable = (name: string, scope: Scope): Expression => {
  const slot = slotOf(name, scope)
  return slot < 0 ? run => run.fail(`undefined variable: ${name}`) : run => run.variables[slot]
}

const compileNamedCall = (
  node: Operand & { type: 'identifier' },
  scope: Scope,
  { args, hasFinal, node: whole }: Arguments & { node: Node },
): Stage => {
  const { name } = node
  const fn = scope.functionNamed(name)!
  const compileArgument = (arg: Operand, type: ParameterType) => compileArgumentOf(arg, type, scope)
  const call = compileCall({ name, fn, node: whole, isNamed: true, args, hasFinal, compileArgument })
  return (run, dot, final) => {
    run.node = node
    return call(run, dot, final)
  }
}

/** `.a.b`, `$x.a.b` or `(pipe).a.b`; arguments are for the last, if it is a method. */
const compileFields = (
  node: Operand & { type: 'field' | 'chain' | 'variable' },
  scope: Scope,
  { args, hasFinal }: Arguments,
): Stage => {
  const { receiver, isBoxed } = compileReceiver(node, scope)
  const last = node.fields.length - 1
  const hasArguments = args.length > 0 || hasFinal
  const steps = node.fields.map((name, i) => {
    const boxed = i > 0 || isBoxed
    const own = i === last ? { args, hasFinal } : NO_ARGUMENTS
    const method = compileMethod(name, node, scope, own)
    return (run: Run, dot: Value, value: Value, final: Value): Value => {
      const fn = value instanceof Struct ? value.method(name) : undefined
      return fn ? method(fn)(run, dot, final) : fieldOf(run, value, name, boxed, i === last && hasArguments)
    }
  })
  return (run, dot, final) => {
    run.node = node
    let value = receiver(run, dot)
    for (const step of steps) value = step(run, dot, value, final)
    return value
  }
}

const compileReceiver = (
  node: Operand & { type: 'field' | 'chain' | 'variable' },
  scope: Scope,
): { receiver: Expression; isBoxed: boolean } => {
  if (node.type === 'field') return { receiver: (_, dot) => dot, isBoxed: scope.dotIsBoxed }
  if (node.type === 'variable') {
    const isBoxed = scope.variables[slotOf(node.name, scope)]?.isBoxed ?? false
    return { receiver: compileVariable(node.name, scope), isBoxed }
  }
  if (node.of.type === 'nil') {
    const problem = `indirection through explicit nil in ${writeNode(node)}`
    return { receiver: run => run.fail(problem), isBoxed: false }
  }
  return { receiver: compileValue(node.of, scope), isBoxed: false }
}

/** Methods are few (those of times): their calls are compiled as they are met. */
const compileMethod =
  (name: string, node: Operand, scope: Scope, { args, hasFinal }: Arguments) =>
  (fn: TemplateFunction): Stage => {
    const compileArgument = (arg: Operand, type: ParameterType) => compileArgumentOf(arg, type, scope)
    return compileCall({ name, fn, node, isNamed: false, args, hasFinal, compileArgument })
  }

const INTERFACES: ReadonlySet<ParameterType> = new Set<ParameterType>(['interface {}', 'reflect.Value'])

/** An argument for a parameter of the type. Constants take the type if they can; values must have it. */
const compileArgumentOf = (node: Operand, type: ParameterType, scope: Scope): ((run: Run, dot: Value) => unknown) => {
  switch (node.type) {
    case 'nil':
      return at(node, run => (canBeNil(type) ? zeroOf(type) : run.fail(`cannot assign nil to ${type}`)))
    case 'bool':
    case 'string':
    case 'number':
      return INTERFACES.has(type) ? compileValue(node, scope) : compileConstant(node, type)
  }
  const value = at(node, compileValue(node, scope))
  if (type === 'reflect.Value') return value
  return (run, dot) => assign(run, value(run, dot), type)
}

const FOUND: Partial<Record<ParameterType, string>> = {
  int: 'integer',
  int64: 'integer',
  uint32: 'unsigned integer',
  float64: 'float',
}

const compileConstant = (
  node: Operand & { type: 'bool' | 'string' | 'number' },
  type: ParameterType,
): ((run: Run, dot: Value) => unknown) => {
  const constant = constantOf(node, type)
  if (constant !== undefined)
    return run => {
      run.node = node
      return constant
    }
  const isScalar = ['string', 'bool', 'int', 'int64', 'uint32', 'float64'].includes(type)
  const problem = isScalar
    ? `expected ${FOUND[type] ?? type}; found ${writeNode(node)}`
    : `can't handle ${writeNode(node)} for arg of type ${type}`
  return at(node, run => run.fail(problem))
}

const constantOf = (node: Operand & { type: 'bool' | 'string' | 'number' }, type: ParameterType): unknown => {
  switch (type) {
    case 'string':
      return node.type === 'string' ? node.text : undefined
    case 'bool':
      return node.type === 'bool' ? node.value : undefined
    case 'int':
      return node.type === 'number' && node.integer !== undefined ? Number(node.integer) : undefined
    case 'int64':
      return node.type === 'number' ? node.integer : undefined
    case 'uint32':
      return node.type === 'number' && node.integer !== undefined && node.integer >= 0
        ? Number(BigInt.asUintN(32, node.integer))
        : undefined
    case 'float64':
      return node.type === 'number' ? node.float : undefined
    default:
      return undefined
  }
}
