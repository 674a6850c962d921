/** Every function that an expression may call, found by name and arguments. */
import { noSuchOverload } from '../cel-error.ts'
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
  /** Type names; the receiver's first. `dyn` takes all. */
  readonly parameters: readonly string[]
  readonly run: CelFunction
}

/** By `name`, `.name` for methods, or `namespace.name`. */
const overloads = new Map<string, Overload[]>()
for (const [signature, run] of Object.entries(allFunctions)) {
  const [, subject = '', name = '', list = ''] = /^(?:([\w.]+(?=\.\w+\()|\w+:(?=:))[.:])?(\w+)\((.*)\): /.exec(
    signature,
  )!
  const isMethod = subject !== '' && !subject.endsWith(':')
  const key = isMethod ? `.${name}` : subject ? `${subject.slice(0, -1)}.${name}` : name
  const parameters = [...(isMethod ? [subject] : []), ...list.split(', ').filter(Boolean)]
  overloads.set(key, [...(overloads.get(key) ?? []), { parameters, run }])
}

/** Whether `name(...)`, `.name(...)` or `namespace.name(...)` is known, whatever the arguments. */
export const isFunction = (key: string): boolean => overloads.has(key)

/** Fails when the function is not made for such arguments. */
export const call = (key: string, args: readonly Value[]): Value => {
  const types = args.map(typeName)
  const found = overloads
    .get(key)
    ?.find(
      ({ parameters }) =>
        parameters.length === args.length && parameters.every((wanted, at) => isOfType(types[at]!, wanted)),
    )
  if (!found) throw noSuchOverload()
  return found.run(...(args as readonly never[]))
}

const isOfType = (type: string, wanted: string): boolean =>
  wanted === 'dyn' || type === wanted || (wanted === 'optional' && type === 'optional_type')
