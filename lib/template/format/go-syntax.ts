import { sortedKeys } from '../values/text.ts'
import { Int, Struct, TypedList, typeNameOf, type Value } from '../values/value.ts'
import { formatFloatVerb } from './float-verb.ts'
import { formatValue } from './format-value.ts'
import { quote } from './quote.ts'

/** A value as `%#v` shows it: as Go source. */
export const goSyntax = (value: Value): string => {
  if (value === null || value === undefined) return '<nil>'
  return inner(value)
}

const inner = (value: Value): string => {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return formatFloatVerb(value, 'g', -1)
  if (value instanceof Int && value.kind.startsWith('uint')) return `0x${value.value.toString(16)}`
  if (value instanceof TypedList && value.isNil) return `${typeNameOf(value)}(nil)`
  if (Array.isArray(value)) return `${typeNameOf(value)}{${value.map(inner).join(', ')}}`
  if (value instanceof Map)
    return `${typeNameOf(value)}{${sortedKeys(value)
      .map(key => `${quote(key)}:${inner(value.get(key))}`)
      .join(', ')}}`
  if (value instanceof Struct)
    return `${value.typeName.replace(/^\*/, '&')}{${[...value.fields].map(([name, field]) => `${name}:${inner(field)}`).join(', ')}}`
  return formatValue(value)
}
