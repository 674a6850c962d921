import { formatNumber } from '../yaml/go-number.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { KustomizeError } from './kustomize-error.ts'

/**
 * Reads data into a declared form the way Go's JSON decoder reads it into a struct: field names in any case, nulls ignored,
 * wrong types refused in Go's words. Absent fields stay absent.
 */
export type Form = 'string' | 'bool' | 'int' | 'any' | { readonly list: Form } | { readonly map: Form } | StructForm

export interface StructForm {
  /** Name of the Go type, as messages show it. */
  readonly struct: string
  readonly fields: Readonly<Record<string, Form>>
}

export interface DecodeOptions {
  /** Whether fields that the form doesn't have are refused. */
  readonly strict?: boolean
  /** Whether numbers and booleans are taken for strings where strings are wanted, as plugin configurations are read. */
  readonly lenient?: boolean
}

export const decodeStruct = (form: StructForm, value: JsonValue, options: DecodeOptions = {}): JsonObject => {
  const decoded = decode(form, value, { owner: form.struct, path: '', strict: false, lenient: false, ...options })
  return isObject(decoded) ? decoded : {}
}

interface Place {
  readonly owner: string
  readonly path: string
  readonly strict: boolean
  readonly lenient: boolean
}

const decode = (form: Form, value: JsonValue, place: Place): JsonValue | undefined => {
  if (value === null) return undefined
  if (form === 'any') return value
  if (form === 'string') {
    if (typeof value === 'string') return value
    if (place.lenient && typeof value !== 'object')
      return typeof value === 'boolean' ? String(value) : formatNumber(value)
    return mismatch(form, value, place)
  }
  if (form === 'bool') return typeof value === 'boolean' ? value : mismatch(form, value, place)
  if (form === 'int') return Number.isInteger(value) || typeof value === 'bigint' ? value : mismatch(form, value, place)
  if ('list' in form) {
    if (!Array.isArray(value)) return mismatch(form, value, place)
    return value.map(item => decode(form.list, item, place) ?? zeroOf(form.list))
  }
  if (!isObject(value)) return mismatch(form, value, place)
  if ('map' in form) {
    const entries = Object.keys(value).map(
      key => [key, decode(form.map, value[key]!, place) ?? zeroOf(form.map)] as const,
    )
    return Object.fromEntries(entries)
  }
  return decodeFields(form, value, place)
}

const decodeFields = (form: StructForm, value: JsonObject, place: Place): JsonObject => {
  const out: JsonObject = {}
  for (const key of Object.keys(value)) {
    const name = fieldNamed(form, key)
    if (name === undefined) {
      if (place.strict)
        throw new KustomizeError(`json: unknown field ${JSON.stringify(key)}`, { field: pathTo(place, key) })
      continue
    }
    const decoded = decode(form.fields[name]!, value[key]!, { ...place, path: pathTo(place, name) })
    if (decoded !== undefined) out[name] = decoded
  }
  return out
}

const pathTo = ({ path }: Place, name: string): string => (path ? `${path}.${name}` : name)

const fieldNamed = ({ fields }: StructForm, key: string): string | undefined => {
  if (Object.hasOwn(fields, key)) return key
  const lower = key.toLowerCase()
  return Object.keys(fields).find(name => name.toLowerCase() === lower)
}

const zeroOf = (form: Form): JsonValue => {
  switch (form) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'int':
      return 0
    case 'any':
      return null
    default:
      return 'list' in form ? [] : {}
  }
}

const goTypeOf = (form: Form): string => {
  if (form === 'any') return 'interface {}'
  if (form === 'int') return 'int64'
  if (typeof form === 'string') return form
  if ('list' in form) return `[]${goTypeOf(form.list)}`
  if ('map' in form) return `map[string]${goTypeOf(form.map)}`
  return `types.${form.struct}`
}

const kindOf = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'number'
  return typeof value === 'number' && !Number.isInteger(value) ? `number ${value}` : typeof value
}

const mismatch = (form: Form, value: JsonValue, { owner, path }: Place): never => {
  const target = path ? `Go struct field ${owner}.${path}` : 'Go value'
  throw new KustomizeError(`json: cannot unmarshal ${kindOf(value)} into ${target} of type ${goTypeOf(form)}`, {
    field: path,
  })
}
