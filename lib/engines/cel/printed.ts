import { durationText } from '../../foundations/go/duration.ts'
import { textOf } from './functions/conversions.ts'
import { timestampText } from './functions/time.ts'
import { CelType, Duration, isList, isMap, Optional, Timestamp, type Value } from './values.ts'

/** A value as Go prints it with `%v`, as some of cel-go's errors do. */
export const printed = (value: Value): string => {
  if (value === null) return '0'
  if (isList(value)) return `[${value.map(printed).join(', ')}]`
  if (isMap(value)) return `{${[...value].map(entry => entry.map(printed).join(': ')).join(', ')}}`
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`
  if (value instanceof Duration) return durationText(value.ns)
  if (value instanceof Timestamp) return printedTime(value)
  if (value instanceof Optional)
    return value.value === undefined ? 'optional.none()' : `optional(${printed(value.value)})`
  return value instanceof CelType ? (typesOfParts[value.name] ?? value.name) : textOf(value)
}

const typesOfParts: Readonly<Record<string, string>> = { list: 'list(dyn)', map: 'map(dyn, dyn)' }

const printedTime = (moment: Timestamp): string =>
  timestampText(moment)
    .replace('T', ' ')
    .replace('Z', ' +0000 UTC')
    .replace(/([+-]\d\d):(\d\d)/, ' $1$2 $1$2')
