import { integerOf, isNothing, type ParameterType, TemplateFunction, typeNameOf, type Value } from '../values/value.ts'
import { isOfType, NILS } from './assign.ts'

/** The builtin `call`: calls a function value. `name` is how the template wrote it. */
export const callValue = (name: string, fn: Value, args: readonly Value[]): Value => {
  if (isNothing(fn)) throw new Error('call of nil')
  if (!(fn instanceof TemplateFunction)) throw new Error(`non-function ${name} of type ${typeNameOf(fn)}`)
  const { parameters, rest } = fn
  if (rest && args.length < parameters.length)
    throw new Error(`wrong number of args for ${name}: got ${args.length} want at least ${parameters.length}`)
  if (!rest && args.length !== parameters.length)
    throw new Error(`wrong number of args for ${name}: got ${args.length} want ${parameters.length}`)
  return fn.call(...args.map((value, i) => prepared(value, i, parameters[i] ?? rest!)))
}

const prepared = (value: Value, i: number, type: ParameterType): unknown => {
  if (isNothing(value)) {
    const nil = NILS[type]
    if (nil) return nil()
    throw new Error(`arg ${i}: value is nil; should be of type ${type}`)
  }
  const whole = integerOf(value)
  if (type === 'int' && whole !== undefined) return Number(whole)
  if (!isOfType(value, type)) throw new Error(`arg ${i}: value has type ${typeNameOf(value)}; should be ${type}`)
  return value
}
