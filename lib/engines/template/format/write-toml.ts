import { formatFloat } from '../../../foundations/go/format-float.ts'
import { requireBounded } from '../values/require-bounded.ts'
import { sortedKeys } from '../values/text.ts'
import { Time } from '../values/time.ts'
import { Int, isNil, Struct, typeNameOf, type Value, type ValueMap } from '../values/value.ts'

const RFC_3339 = '2006-01-02T15:04:05.999999999Z07:00'
const NIL_IN_ARRAY = 'toml: cannot encode array with nil element'
const NO_TABLE = 'toml: top-level values must be Go maps or structs'

/**
 * TOML as BurntSushi's library writes it, which Helm uses: sorted keys, a table's values before its sub-tables, which are indented by two
 * per level. A value that is not a table is written alone.
 */
export const writeToml = (value: Value): string => {
  requireBounded(value)
  if (isTableList(value)) throw new Error(NO_TABLE)
  if (!(value instanceof Map)) return inline(value)
  let out = ''
  const startLine = (): void => {
    if (out !== '') out += '\n'
  }
  const writeTable = (keys: readonly string[], table: ValueMap): void => {
    for (const [key, item] of inOrder(table)) {
      if (isNil(item)) continue
      const path = [...keys, key]
      const indent = '  '.repeat(keys.length)
      if (item instanceof Map) {
        if (keys.length === 0) startLine()
        out += `${indent}[${dotted(path)}]`
        startLine()
        writeTable(path, item)
      } else if (isTableList(item)) {
        for (const each of item as ValueMap[]) {
          startLine()
          out += `${indent}[[${dotted(path)}]]`
          startLine()
          writeTable(path, each)
        }
      } else out += `${indent}${quotedKey(key)} = ${inline(item)}\n`
    }
  }
  writeTable([], value)
  return out
}

const inOrder = (table: ValueMap): (readonly [string, Value])[] => {
  const entries = sortedKeys(table).map(key => [key, table.get(key)] as const)
  const isTable = ([, item]: readonly [string, Value]) => item instanceof Map || isTableList(item)
  return [...entries.filter(entry => !isTable(entry)), ...entries.filter(isTable)]
}

const isTableList = (value: Value): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(item => item instanceof Map)

const inline = (value: Value): string => {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return float(value)
  }
  if (value instanceof Int) return String(value.value)
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (value instanceof Map) return `{${inlineFields(value)}}`
  if (value instanceof Time) return value.format(RFC_3339)
  if (value instanceof Struct && value.text) return quoted(value.text())
  throw new Error(isNil(value) ? NIL_IN_ARRAY : `unsupported type: ${typeNameOf(value)}`)
}

/** Nil values are omitted, but the comma before them remains. */
const inlineFields = (table: ValueMap): string => {
  const entries = inOrder(table)
  return entries
    .map(([key, item], i) =>
      isNil(item) ? '' : `${quotedKey(key)} = ${inline(item)}${i < entries.length - 1 ? ', ' : ''}`,
    )
    .join('')
}

const float = (value: number): string => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  const text = formatFloat(value, 'g', -1)
  return /[.e]/.test(text) ? text : `${text}.0`
}

const dotted = (keys: readonly string[]): string => keys.map(quotedKey).join('.')

const quotedKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key))

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

const quoted = (text: string): string => {
  const escaped = text.replace(/["\\]|\p{Cc}/gu, c =>
    c > '\x7f' ? c : (SHORT[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
  return `"${escaped}"`
}
