import { goJson, goJsonIndented } from '../../yaml/go-json.ts'
import { requireBounded } from '../values/require-bounded.ts'
import { sortedKeys } from '../values/text.ts'
import { toJsonValue } from '../values/to-json.ts'
import { isNil, Struct, StructFields, TypedList, type Value } from '../values/value.ts'

export interface JsonOptions {
  /** Whether to escape <, > and &. */
  readonly escapeHtml?: boolean
  readonly isIndented?: boolean
}

/** JSON as encoding/json writes it: sorted keys, no spaces, or indented by two. */
export const writeJson = (value: Value, { escapeHtml, isIndented }: JsonOptions = {}): string => {
  requireBounded(value)
  const text = isIndented ? goJsonIndented(toJsonValue(value)) : compact(value)
  return escapeHtml ? text : text.replace(/\\(u003c|u003e|u0026|.)/g, (written, code: string) => PLAIN[code] ?? written)
}

/** Text that JSON does not escape. */
const UNESCAPED = /^[ !#-%'-;=?-[\]-~]*$/

/** Fast path for maps and lists of plain text, the usual case: it needs no copy. */
const compact = (value: Value): string => {
  if (typeof value === 'string' && UNESCAPED.test(value)) return `"${value}"`
  if (Array.isArray(value) && !(value instanceof TypedList)) {
    let items = ''
    for (const item of value) items += items === '' ? compact(item) : `,${compact(item)}`
    return `[${items}]`
  }
  if (isNil(value)) return 'null'
  if (value instanceof Struct) return compact(value.toJson())
  if (!(value instanceof Map)) return goJson(toJsonValue(value))
  let fields = ''
  for (const key of value instanceof StructFields ? value.keys() : sortedKeys(value)) {
    const field = `${compact(key)}:${compact(value.get(key))}`
    fields += fields === '' ? field : `,${field}`
  }
  return `{${fields}}`
}

const PLAIN: Readonly<Record<string, string>> = { u003c: '<', u003e: '>', u0026: '&' }
