import { type CelError, noSuchOverload } from './cel-error.ts'
import { typeName, type Value } from './values.ts'

/** Types with methods of their own. */
const withMethods = ['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration']

/**
 * What cel-go says of an operator or function that is not made for a value: the name of it, unless the value has methods,
 * or is of a type that knows the operator.
 */
export const misfit = (value: Value, name: string, ...knowing: readonly string[]): CelError => {
  const type = typeName(value)
  return noSuchOverload(withMethods.includes(type) || knowing.includes(type) ? undefined : name)
}
