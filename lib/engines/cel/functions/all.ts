/** All functions that an expression may call, looked up by name and arguments. */
import { type CelError, noSuchOverload } from '../cel-error.ts'
import { overloadError } from '../overload-error.ts'
import type { Spend } from '../spend.ts'
import { typeName, type Value } from '../values.ts'
import { byteFunctions } from './bytes.ts'
import { collectionFunctions } from './collections.ts'
import { conversionFunctions } from './conversions.ts'
import type { CelFunction, Functions } from './function.ts'
import { stringFunctions } from './strings.ts'
import { timeFunctions } from './time.ts'

export const allFunctions: Functions = {
  ...conversionFunctions,
  ...stringFunctions,
  ...byteFunctions,
  ...collectionFunctions,
  ...timeFunctions,
}

interface Overload {
  /** Type names, the receiver's first. `dyn` accepts all types. */
  readonly parameters: readonly string[]
  readonly run: CelFunction
}

/** By `name` or `namespace.name`: functions can be called as methods of their first argument, and methods as functions. */
const overloads = new Map<string, Overload[]>()
for (const [signature, run] of Object.entries(allFunctions)) {
  const [, subject = '', name, list] = /(?:([\w.]+(?=\.\w+\()|\w+:(?=:))[.:])?(\w+)\((.*)\): /.exec(signature)!
  const isMethod = subject !== '' && !subject.endsWith(':')
  const key = subject && !isMethod ? `${subject.slice(0, -1)}.${name}` : name!
  const parameters = [...(isMethod ? [subject] : []), ...list!.split(', ').filter(Boolean)]
  overloads.set(key, [...(overloads.get(key) ?? []), { parameters, run }])
}

/** Whether `name(...)` or `namespace.name(...)` is known, whatever its arguments. */
export const isFunction = (key: string): boolean => overloads.has(key)

/** Fails if no overload takes these arguments. */
export const call = (key: string, args: readonly Value[], spend: Spend): Value => {
  const types = args.map(typeName)
  const found = overloads
    .get(key)
    ?.find(
      ({ parameters }) =>
        parameters.length === args.length && parameters.every((wanted, at) => isOfType(types[at]!, wanted)),
    )
  if (!found) throw overloadMismatch(key, args, types)
  return found.run(...(args as readonly never[]), spend as never)
}

const isOfType = (type: string, wanted: string): boolean =>
  wanted === 'dyn' || type === wanted || (wanted === 'optional' && type === 'optional_type')

/** cel-go names the argument types only if the function has several overloads. */
const overloadMismatch = (key: string, args: readonly Value[], types: readonly string[]): CelError => {
  if (['contains', 'startsWith', 'endsWith'].includes(key)) return noSuchOverload()
  if (overloads.has(key) && !['size', 'matches'].includes(key)) return noSuchOverload(`${key}(${types.join(', ')})`)
  return overloadError(args[0]!, key)
}

/** Functions whose arguments cel-go checks only at evaluation. */
const lateTyped = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'duration',
  'timestamp',
  'optional.none',
  'format',
]

/** cel-go's compile-time error for a call with this many arguments, if any. */
export const wrongCount = (key: string, count: number): string | undefined => {
  const counts = new Set((overloads.get(key) ?? []).map(({ parameters }) => parameters.length))
  const isRefused =
    counts.size === 0 ? count === 0 : counts.size === 1 && !counts.has(count) && !lateTyped.includes(key)
  return isRefused ? noSuchOverload(`${key}${['()', '(arg)', '(lhs, rhs)'][count] ?? '(...)'}`).message : undefined
}
