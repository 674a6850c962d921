import { quote } from '../../../foundations/go/quote.ts'
import { Struct, TypedMap, typeNameOf, type Value } from '../values/value.ts'
import type { TemplateRun } from './run.ts'

/** Whether messages call a value an interface, whatever it is; `holder` is the value it was read from, if not a variable. */
export type IsBoxed = (run: TemplateRun, holder: Value) => boolean | undefined

/** Reads a field of a value: a map's key or a struct's field. */
export const fieldOf = (
  run: TemplateRun,
  receiver: Value,
  name: string,
  hasArguments: boolean,
  isBoxed: IsBoxed,
  holder: Value,
): Value => {
  if (receiver === undefined) {
    if (run.missingKey === 'error') run.fail(`nil data; no entry for key ${quote(name)}`)
    return undefined
  }
  if (receiver === null) return run.fail(`nil pointer evaluating interface {}.${name}`)
  if (receiver instanceof Map) {
    if (hasArguments) run.fail(`${name} is not a method but has arguments`)
    const value = receiver.get(name)
    return value === undefined ? missing(run, receiver, name) : value
  }
  if (receiver instanceof Struct && receiver.fields.has(name)) {
    if (/^[a-z]/.test(name)) run.fail(`${name} is an unexported field of struct type ${receiver.typeName}`)
    if (hasArguments) run.fail(`${name} has arguments but cannot be invoked as function`)
    return receiver.fields.get(name)
  }
  return run.fail(
    `can't evaluate field ${name} in type ${isBoxed(run, holder) ? 'interface {}' : typeNameOf(receiver)}`,
  )
}

const missing = (run: TemplateRun, map: ReadonlyMap<string, Value>, name: string): Value => {
  if (run.missingKey === 'error') return run.fail(`map has no entry for key ${quote(name)}`)
  if (run.missingKey === 'zero') return map instanceof TypedMap ? '' : null
  return undefined
}
