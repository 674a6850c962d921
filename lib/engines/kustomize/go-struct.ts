import { shortestSingle } from '../../foundations/go/decimal.ts'
import { formatNumber } from '../yaml/format-number.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { KustomizeError, wrapping } from './kustomize-error.ts'

/**
 * Decodes data as Go's JSON decoder does into a struct: case-insensitive field names, nulls ignored, wrong types refused with Go's message.
 * Absent fields stay absent.
 */
export type Form = 'string' | 'bool' | 'int' | 'int64' | 'any' | NamedText | ListForm | MapForm | StructForm

/** A named string type of Go. */
export interface NamedText {
  readonly text: string
}

export interface ListForm {
  readonly list: Form
  /** The name of the list's Go type, if it has one. */
  readonly type?: string
  /** Whether Go's items are pointers, as shown in messages. */
  readonly pointers?: true
}

interface MapForm {
  readonly map: Form
}

export interface StructForm {
  /** The name of the Go type, as shown in messages. */
  readonly struct: string
  /** The package of the Go type; `types` by default. */
  readonly package?: string
  readonly fields: Readonly<Record<string, Form>>
  /** Embedded structs: their fields are its own, and messages include the path through them. */
  readonly embeds?: readonly StructForm[]
}

export interface DecodeOptions {
  /** Whether to refuse unknown fields. */
  readonly strict?: boolean
  /** Called with the path of each ignored unknown field: `patches.target.knd`. */
  readonly onUnknownField?: (path: string) => void
  /**
   * Whether numbers and booleans are converted where strings are expected, as for plugin configurations. Does not apply to fields of
   * embedded structs.
   */
  readonly lenient?: boolean
}

/**
 * Decodes JSON as Go's encoding/json would into this struct: unknown fields are dropped, and null is absent. Throws
 * KustomizeError with Go's message for a value of the wrong type.
 */
export const decodeStruct = (form: StructForm, value: JsonValue, options: DecodeOptions = {}): JsonObject => {
  const decoded = decode(form, value, {
    owner: form.struct,
    way: [],
    path: [],
    strict: false,
    lenient: false,
    ...options,
  })
  return (decoded ?? {}) as JsonObject
}

/** Decodes data as sigs.k8s.io/yaml does: kustomize reads plugin configurations this way, and Flux its kustomization.yaml. */
export const unmarshal = (form: StructForm, value: JsonValue, onUnknownField?: (path: string) => void): JsonObject =>
  wrapping('error unmarshaling JSON: while decoding JSON', () =>
    decodeStruct(form, value, { lenient: true, ...(onUnknownField && { onUnknownField }) }),
  )

interface Place {
  /** The struct that contains the field. */
  readonly owner: string
  /** The path to the field, including embedded structs. */
  readonly way: readonly string[]
  /** The same without embedded structs. */
  readonly path: readonly string[]
  readonly strict: boolean
  readonly lenient: boolean
  readonly onUnknownField?: (path: string) => void
}

const decode = (form: Form, value: JsonValue, place: Place): JsonValue | undefined => {
  if (value === null) return undefined
  if (form === 'any') return value
  if (form === 'bool') return typeof value === 'boolean' ? value : mismatch(form, value, place)
  if (form === 'int' || form === 'int64') return isInt64(value) ? value : mismatch(form, value, place)
  if (form === 'string' || 'text' in form) return decodeText(form, value, place)
  if ('list' in form) {
    if (!Array.isArray(value)) return mismatch(form, value, place)
    return value.map(item => decode(form.list, item, place) ?? zeroOf(form.list))
  }
  if (!isObject(value)) return mismatch(form, value, place)
  if ('struct' in form) return decodeFields(form, value, place)
  const entries = Object.keys(value).map(
    key => [key, decode(form.map, value[key]!, place) ?? zeroOf(form.map)] as const,
  )
  return Object.fromEntries(entries)
}

const decodeText = (form: Form, value: JsonValue, place: Place): JsonValue => {
  if (typeof value === 'string') return value
  if (!place.lenient || typeof value === 'object') return mismatch(form, value, place)
  if (typeof value === 'boolean') return String(value)
  return formatNumber(Number.isInteger(value) || typeof value === 'bigint' ? value : shortestSingle(value))
}

const isInt64 = (value: JsonValue): boolean => {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return false
  const integer = BigInt(value as number | bigint)
  return integer === BigInt.asIntN(64, integer)
}

const decodeFields = (form: StructForm, value: JsonObject, place: Place): JsonObject => {
  const out: JsonObject = {}
  // Sorted like JSON keys: the first error is reported, and the last of several spellings wins.
  for (const key of Object.keys(value).sort()) {
    const found = fieldNamed(form, name => name === key) ?? fieldNamed(form, name => equalsIgnoringCase(key, name))
    if (!found) {
      const unknown = [...place.path, key].join('.')
      if (place.strict) throw new KustomizeError(`json: unknown field ${JSON.stringify(key)}`, { field: unknown })
      place.onUnknownField?.(unknown)
      continue
    }
    const { name, field, structs } = found
    const decoded = decode(field, value[key]!, {
      ...place,
      owner: form.struct,
      way: [...place.way, ...structs, name],
      path: [...place.path, name],
      lenient: place.lenient && structs.length === 0,
    })
    if (decoded !== undefined) out[name] = decoded
  }
  return out
}

interface FoundField {
  readonly name: string
  readonly field: Form
  /** The embedded structs on the path to the field. */
  readonly structs: readonly string[]
}

const fieldNamed = ({ fields, embeds = [] }: StructForm, isIt: (name: string) => boolean): FoundField | undefined => {
  const name = Object.keys(fields).find(isIt)
  if (name !== undefined) return { name, field: fields[name]!, structs: [] }
  for (const embedded of embeds) {
    const found = fieldNamed(embedded, isIt)
    if (found) return { ...found, structs: [embedded.struct, ...found.structs] }
  }
  return undefined
}

/** Whether a key differs from a field's name only in case, by Unicode case folding. */
const equalsIgnoringCase = (key: string, name: string): boolean => new RegExp(`^${name}$`, 'iu').test(key)

/** The value that null becomes in lists and maps. */
const zeroOf = (form: Form): JsonValue => {
  if (form === 'any') return null
  return typeof form === 'object' && 'struct' in form ? {} : ''
}

const goTypeOf = (form: Form): string => {
  if (form === 'any') return 'interface {}'
  if (typeof form === 'string') return form
  if ('text' in form) return form.text
  if ('list' in form) return form.type ?? `[]${form.pointers ? '*' : ''}${goTypeOf(form.list)}`
  if ('map' in form) return `map[string]${goTypeOf(form.map)}`
  return `${form.package ?? 'types'}.${form.struct}`
}

const kindOf = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

const mismatch = (form: Form, value: JsonValue, { owner, way, path }: Place): never => {
  const kind = kindOf(value)
  // For a number of the wrong kind, Go's message includes its value.
  const shown = kind === 'number' && (form === 'int' || form === 'int64') ? `number ${value}` : kind
  const target = way.length > 0 ? `Go struct field ${[owner, ...way].join('.')}` : 'Go value'
  throw new KustomizeError(`json: cannot unmarshal ${shown} into ${target} of type ${goTypeOf(form)}`, {
    field: path.join('.'),
  })
}
