import type { JsonValue } from './json-value.ts'

/** JSON as Go's encoding/json writes it: keys sorted by bytes, `<>&` and line separators escaped. */
export const goJson = (value: JsonValue): string => {
  switch (typeof value) {
    case 'string':
      return goString(value)
    case 'number':
    case 'bigint':
      return formatJsonNumber(value)
    case 'boolean':
      return String(value)
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  return `{${sortedKeys(value)
    .map(key => `${goString(key)}:${goJson(value[key]!)}`)
    .join(',')}}`
}

const sortedKeys = (object: object): string[] => {
  const keys = Object.keys(object)
  const ascii = keys.every(key => !/[^\0-\x7f]/.test(key))
  return keys.sort(ascii ? undefined : (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/** A JSON string as Go writes it. */
export const goString = (text: string): string => {
  const written = text.isWellFormed() ? JSON.stringify(text) : `"${text.split(HALF_PAIR).map(inside).join('\\ufffd')}"`
  return written.replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Represents an invalid UTF-8 byte. */
const HALF_PAIR = /[\ud800-\udfff]/u

const inside = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Go's and JavaScript's formats differ only in the sign of zero. */
const formatJsonNumber = (value: number | bigint): string => (Object.is(value, -0) ? '-0' : String(value))

/** The same, indented by two spaces as in json.MarshalIndent. */
export const goJsonIndented = (value: JsonValue, indent = ''): string => {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map(item => inner + goJsonIndented(item, inner)).join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return goJson(value)
  const keys = sortedKeys(value)
  if (keys.length === 0) return '{}'
  const fields = keys.map(key => `${inner}${goString(key)}: ${goJsonIndented(value[key]!, inner)}`)
  return `{\n${fields.join(',\n')}\n${indent}}`
}
