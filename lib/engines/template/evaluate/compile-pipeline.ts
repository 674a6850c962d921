import type { CommandNode, Node, Operand, PipeNode } from '../parse/node.ts'
import { writeNode } from '../parse/write-node.ts'
import { holdsInterfaces, methodOf, type ParameterType, type TemplateFunction, type Value } from '../values/value.ts'
import { assign, NILS } from './assign.ts'
import { type CallSite, compileCall, type Expression, type Stage } from './call.ts'
import { idealConstant } from './constant.ts'
import { fieldOf, type IsBoxed } from './field.ts'
import type { TemplateRun } from './run.ts'

/** Names in scope at compile time: a variable's slot is its index in the list. */
export interface Scope {
  readonly variables: string[]
  /** Whether the pipeline that is compiled uses a variable other than `$`. */
  usesVariables: boolean
  /** Pipelines without variables, which mean the same in every place. */
  readonly shared: Map<PipeNode, Expression>
  readonly functionNamed: (name: string) => TemplateFunction | undefined
}

/** Compiles a block; its variables go out of scope at its end. */
export const inScope = <T>(scope: Scope, compile: () => T): T => {
  const known = scope.variables.length
  const compiled = compile()
  scope.variables.length = known
  return compiled
}

/** Each stage unwraps interfaces: a nil inside an interface becomes no value. */
const unboxed = (value: Value): Value => (value === null ? undefined : value)

/** Compiles a pipeline with its declarations, which stay in scope afterwards. */
export const compilePipeline = (pipe: PipeNode, scope: Scope): Expression => {
  const known = scope.shared.get(pipe)
  if (known) return known
  const used = scope.usesVariables
  scope.usesVariables = false
  const compiled = compileNew(pipe, scope)
  if (!scope.usesVariables) scope.shared.set(pipe, compiled)
  scope.usesVariables ||= used
  return compiled
}

const compileNew = (pipe: PipeNode, scope: Scope): Expression => {
  const commands = compileCommands(pipe, scope)
  const stores = compileDeclarations(pipe, scope)
  if (stores.length === 0) return commands
  return run => {
    const value = commands(run)
    for (const store of stores) store(run, value)
    return value
  }
}

/**
 * Compiles the commands of a pipeline without its declarations: each gets the value of the one before as its last
 * argument.
 */
export const compileCommands = (pipe: PipeNode, scope: Scope): Expression => {
  const [first, ...rest] = pipe.commands.map((command, i) => compileCommand(command, scope, i > 0))
  return run => {
    run.node = pipe
    let value = unboxed(first!(run, undefined))
    for (const stage of rest) value = unboxed(stage(run, value))
    return value
  }
}

/** The variables that a pipeline sets, in order. They are in scope from then on. */
export const compileDeclarations = (pipe: PipeNode, scope: Scope): readonly Store[] =>
  pipe.declarations.map(({ name }) => compileStore(name, pipe.isAssign, scope))

/** Sets a variable; `isBoxed` if Go knows the value only as an interface. */
export type Store = (run: TemplateRun, value: Value, isBoxed?: boolean) => void

/** Compiles the declaration or assignment of a variable. */
const compileStore = (name: string, isAssign: boolean, scope: Scope): Store => {
  scope.usesVariables = true
  const slot = isAssign ? slotOf(name, scope) : scope.variables.push(name) - 1
  if (slot < 0) return run => run.fail(`undefined variable: ${name}`)
  return (run, value, isBoxed = false) => {
    run.variables[slot] = value
    run.boxed[slot] = isBoxed
  }
}

/** The parser has fewer scopes: it accepts a variable of an `if`'s first list in the second, where it has no slot. */
const slotOf = (name: string, scope: Scope): number => {
  if (name !== '$') scope.usesVariables = true
  return scope.variables.lastIndexOf(name)
}

/** Sets the node that errors refer to, then evaluates. */
const at =
  (node: Node, expression: Expression): Expression =>
  run => {
    run.node = node
    return expression(run)
  }

const compileCommand = (command: CommandNode, scope: Scope, hasFinal: boolean): Stage => {
  const [first, ...args] = command.operands
  switch (first.type) {
    case 'field':
    case 'chain':
    case 'variable':
      if (first.fields.length > 0) return compileFields(first, scope, { args, hasFinal })
      break
    case 'identifier':
      return compileNamedCall(first, scope, { args, hasFinal, node: command })
  }
  if (args.length > 0 || hasFinal) {
    const problem = `can't give argument to non-function ${writeNode(first)}`
    return run => {
      if (first.type !== 'pipe') run.node = first
      return run.fail(problem)
    }
  }
  return first.type === 'nil' ? at(first, run => run.fail('nil is not a command')) : compileValue(first, scope)
}

type Arguments = Pick<CallSite, 'args' | 'hasFinal'>
const NO_ARGUMENTS: Arguments = { args: [], hasFinal: false }

/** An operand without arguments. */
const compileValue = (node: Exclude<Operand, { type: 'nil' }>, scope: Scope): Expression => {
  switch (node.type) {
    case 'dot':
      return at(node, dot)
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
    default:
      return withoutFinal(compileFields(node, scope, NO_ARGUMENTS))
  }
}

const withoutFinal =
  (stage: Stage): Expression =>
  run =>
    stage(run, undefined)

const dot: Expression = run => run.dot

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
  return (run, final) => {
    run.node = node
    return call(run, final)
  }
}

/** `.a.b`, `$x.a.b` or `(pipe).a.b`; arguments go to the last part, if it is a method. */
const compileFields = (node: FieldsNode, scope: Scope, given: Arguments): Stage => {
  const { receiver, isBoxed: isReceiverBoxed } = compileReceiver(node, scope)
  // Methods are only found at run time, when the compile-time scope has moved on: keep a copy of the current one.
  const here: Scope = given.args.length === 0 ? scope : { ...scope, variables: [...scope.variables] }
  if (given.args.length > 0) scope.usesVariables = true
  const compileArgument = (arg: Operand, type: ParameterType) => compileArgumentOf(arg, type, here)
  const steps = node.fields.map((name, i) => {
    const { args, hasFinal } = i === node.fields.length - 1 ? given : NO_ARGUMENTS
    const isBoxed = i === 0 ? isReceiverBoxed : isItemBoxed
    return (run: TemplateRun, value: Value, holder: Value, final: Value): Value => {
      const fn = methodOf(value, name)
      if (!fn) return fieldOf(run, value, name, args.length > 0 || hasFinal, isBoxed, holder)
      return compileCall({ name, fn, node, isNamed: false, args, hasFinal, compileArgument })(run, final)
    }
  })
  return (run, final) => {
    run.node = node
    let holder: Value
    let value = receiver(run)
    for (const step of steps) {
      const next = step(run, value, holder, final)
      holder = value
      value = next
    }
    return value
  }
}

type FieldsNode = Operand & { type: 'field' | 'chain' | 'variable' }

const isItemBoxed: IsBoxed = (_, holder) => holdsInterfaces(holder)

/** The value that the first field belongs to. */
const compileReceiver = (node: FieldsNode, scope: Scope): { receiver: Expression; isBoxed: IsBoxed } => {
  if (node.type === 'chain') return { receiver: compileValue(node.of, scope), isBoxed: () => false }
  if (node.type === 'field') return { receiver: dot, isBoxed: run => run.isDotBoxed }
  const slot = slotOf(node.name, scope)
  return { receiver: compileVariable(node.name, scope), isBoxed: run => run.boxed[slot] }
}

const INTERFACES: ReadonlySet<ParameterType> = new Set<ParameterType>(['interface {}', 'reflect.Value'])

/** Compiles an argument for a parameter of this type. Constants convert to the type if possible; values must have it. */
const compileArgumentOf = (node: Operand, type: ParameterType, scope: Scope): ((run: TemplateRun) => unknown) => {
  switch (node.type) {
    case 'nil':
      return at(node, run => (NILS[type] ?? (() => run.fail(`cannot assign nil to ${type}`)))())
    case 'bool':
    case 'string':
    case 'number':
      return INTERFACES.has(type) ? compileValue(node, scope) : compileConstant(node, type)
  }
  const value = compileValue(node, scope)
  return run => assign(run, value(run), type)
}

/** How messages name the constants that a type accepts. */
const WANTED: Partial<Record<ParameterType, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'integer',
  uint32: 'unsigned integer',
  float64: 'float',
}

type ConstantNode = Operand & { type: 'bool' | 'string' | 'number' }

const compileConstant = (node: ConstantNode, type: ParameterType): ((run: TemplateRun) => unknown) => {
  const constant = constantOf(node, type)
  if (constant !== undefined)
    return run => {
      run.node = node
      return constant
    }
  const wanted = WANTED[type]
  const problem = wanted
    ? `expected ${wanted}; found ${writeNode(node)}`
    : `can't handle ${writeNode(node)} for arg of type ${type}`
  return at(node, run => run.fail(problem))
}

const constantOf = (node: ConstantNode, type: ParameterType): unknown => {
  if (node.type === 'string') return type === 'string' ? node.text : undefined
  if (node.type === 'bool') return type === 'bool' ? node.value : undefined
  switch (type) {
    case 'int':
      return node.integer !== undefined ? Number(node.integer) : undefined
    case 'uint32':
      return node.unsigned !== undefined ? Number(BigInt.asUintN(32, node.unsigned)) : undefined
    case 'float64':
      return node.float
  }
  return undefined
}
