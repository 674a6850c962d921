import { type CelError, noSuchOverload } from './cel-error.ts'
import { typeName, type Value } from './values.ts'

/** Types with methods of their own. */
const withMethods = ['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration']

/**
 * cel-go's error for an operator or function that does not take a value: it names the operator unless the value has methods, or
 * another overload takes its type.
 */
export const overloadError = (value: Value, name: string, ...knowing: readonly string[]): CelError => {
  const type = typeName(value)
  return noSuchOverload(withMethods.includes(type) || knowing.includes(type) ? undefined : name)
}
