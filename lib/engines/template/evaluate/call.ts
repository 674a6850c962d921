import type { Node, Operand } from '../parse/node.ts'
import { writeNode } from '../parse/write-node.ts'
import { isTrue } from '../values/truth.ts'
import {
  type ParameterType,
  RenderingFunction,
  type TemplateFunction,
  typeNameOf,
  type Value,
} from '../values/value.ts'
import { assign } from './assign.ts'
import { callValue } from './call-value.ts'
import type { TemplateRun } from './run.ts'

/** A compiled expression. */
export type Expression = (run: TemplateRun) => Value
/** A compiled stage of a pipeline, which receives the value of the previous stage. */
export type Stage = (run: TemplateRun, final: Value) => Value

export interface CallSite {
  readonly name: string
  readonly fn: TemplateFunction
  /** The node that errors in the function refer to. */
  readonly node: Node
  /** Set for functions called by name, which a run may replace; methods are found by their receiver. */
  readonly isNamed: boolean
  readonly args: readonly Operand[]
  /** Whether the previous stage provides the last argument. */
  readonly hasFinal: boolean
  readonly compileArgument: (node: Operand, type: ParameterType) => (run: TemplateRun) => unknown
}

/** Compiles a call: the number of arguments is known at compile time, their types only at run time. */
export const compileCall = (site: CallSite): Stage => {
  const { name, fn, args, hasFinal } = site
  const problem = arityProblem(site)
  if (problem) return run => run.fail(problem)
  const typeOf = (i: number) => fn.parameters[i] ?? fn.rest!
  const compiled = args.map((arg, i) => site.compileArgument(arg, typeOf(i)))
  if (site.isNamed && (name === 'and' || name === 'or'))
    return shortCircuit(name === 'or', compiled as Expression[], hasFinal)
  const { node, isNamed } = site
  const callee = name === 'call' && isNamed ? calling(args[0]) : undefined
  const within = fn instanceof RenderingFunction ? fn.callWithin : undefined
  const replaced = (run: TemplateRun) => (isNamed ? run.calls.get(name) : undefined)
  return (run, final) => {
    const values: unknown[] = []
    for (const argument of compiled) values.push(argument(run))
    if (hasFinal) values.push(assign(run, final, typeOf(args.length)))
    let result: Value
    try {
      result = within ? within(run, ...values) : (callee ?? replaced(run) ?? fn.call)(...(values as Value[]))
    } catch (error) {
      if (error instanceof TypeError || error instanceof ReferenceError || isStackOverflow(error)) throw error
      run.node = node
      if (error instanceof RangeError && TOO_LONG.test(error.message)) return run.failTooMuchMade()
      return run.fail(`error calling ${name}: ${(error as Error).message}`, error)
    }
    run.charge(result)
    return result
  }
}

/** JavaScript's error for text that exceeds the maximum length of a string. */
const TOO_LONG = /string length/

const isStackOverflow = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message)

const arityProblem = ({ name, fn, args, hasFinal }: CallSite): string | undefined => {
  const count = args.length + (hasFinal ? 1 : 0)
  const wanted = fn.parameters.length
  if (fn.rest)
    return count < wanted ? `wrong number of args for ${name}: want at least ${wanted} got ${args.length}` : undefined
  return count === wanted ? undefined : `wrong number of args for ${name}: want ${wanted} got ${count}`
}

/** `and` and `or` stop evaluating as soon as the result is known. */
const shortCircuit =
  (until: boolean, args: readonly Expression[], hasFinal: boolean): Stage =>
  (run, final) => {
    let value: Value
    for (const argument of args) {
      value = argument(run)
      if (isTrue(value) === until) return value
    }
    return hasFinal ? final : value
  }

/** The builtin `call` reports the function as written in the template; if it comes from the previous stage, as reflect prints it. */
const calling =
  (first: Operand | undefined): ((...args: Value[]) => Value) =>
  (fn, ...args) =>
    callValue(first ? writeNode(first) : typeof fn === 'string' ? fn : `<${typeNameOf(fn)} Value>`, fn, args)
