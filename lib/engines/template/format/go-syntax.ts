import { quote } from '../../../foundations/go/quote.ts'
import { sortedKeys } from '../values/text.ts'
import { Time } from '../values/time.ts'
import { MONTHS } from '../values/time-format.ts'
import { Int, isNothing, Struct, TypedList, typeNameOf, type Value } from '../values/value.ts'
import { LOCAL, UTC } from '../values/zone.ts'

/** A value as `%#v` prints it: as Go source. `leaf` formats strings and numbers with the given verb. */
export const goSyntax = (value: Value, leaf: (verb: string, value: Value) => string): string => {
  const inner = (item: Value): string => goSyntax(item, leaf)
  if (isNothing(value)) return 'interface {}(nil)'
  if (typeof value === 'string') return leaf('q', value)
  if (value instanceof Int && value.kind.startsWith('uint')) return leaf('x', value)
  if (value instanceof TypedList && value.isNil) return `${typeNameOf(value)}(nil)`
  if (Array.isArray(value)) return `${typeNameOf(value)}{${value.map(inner).join(', ')}}`
  if (value instanceof Map)
    return `${typeNameOf(value)}{${sortedKeys(value)
      .map(key => `${leaf('q', key)}:${inner(value.get(key)!)}`)
      .join(', ')}}`
  if (value instanceof Time) return timeSource(value)
  if (value instanceof Struct && value.underlying !== undefined) return inner(value.underlying)
  if (value instanceof Struct)
    return `${value.typeName.replace('*', '&')}{${[...value.fields].map(([name, field]) => `${name}:${inner(field)}`).join(', ')}}`
  return leaf('v', value)
}

const timeSource = ({ clock, fraction, zone }: Time): string => {
  const clockParts = [clock.getUTCHours(), clock.getUTCMinutes(), clock.getUTCSeconds(), fraction].join(', ')
  const location = zone === LOCAL ? 'time.Local' : zone === UTC ? 'time.UTC' : `time.Location(${quote(zone.name)})`
  return `time.Date(${clock.getUTCFullYear()}, time.${MONTHS[clock.getUTCMonth()]}, ${clock.getUTCDate()}, ${clockParts}, ${location})`
}
