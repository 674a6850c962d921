import { shortestSingle } from '../../foundations/go/decimal.ts'
import { formatNumber } from '../yaml/format-number.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { KustomizeError, wrapping } from './kustomize-error.ts'

/**
 * Reads data into a declared form the way Go's JSON decoder reads it into a struct: field names in any case, nulls ignored,
 * wrong types refused in Go's words. Absent fields stay absent.
 */
export type Form = 'string' | 'bool' | 'int' | 'int64' | 'any' | NamedText | ListForm | MapForm | StructForm

/** Text of a Go type of its own. */
export interface NamedText {
  readonly text: string
}

export interface ListForm {
  readonly list: Form
  /** Go's name for such lists, if it has one. */
  readonly type?: string
  /** Whether Go holds its items by pointer, as messages show it. */
  readonly pointers?: true
}

interface MapForm {
  readonly map: Form
}

export interface StructForm {
  /** Name of the Go type, as messages show it. */
  readonly struct: string
  /** Where Go has that type; `types` unless given. */
  readonly package?: string
  readonly fields: Readonly<Record<string, Form>>
  /** Structs that are embedded in it: their fields are its fields, and messages show the way to them. */
  readonly embeds?: readonly StructForm[]
}

export interface DecodeOptions {
  /** Whether fields that the form doesn't have are refused. */
  readonly strict?: boolean
  /** Told of each field that is passed over because the form doesn't have it: `patches.target.knd`. */
  readonly onUnknownField?: (path: string) => void
  /**
   * Whether numbers and booleans are taken for strings where strings are wanted, as plugin configurations are read. Fields of
   * embedded structs are no such places.
   */
  readonly lenient?: boolean
}

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

/** Reads data as sigs.k8s.io/yaml does: kustomize reads configurations of plugins that way, and Flux its kustomization.yaml. */
export const unmarshal = (form: StructForm, value: JsonValue, onUnknownField?: (path: string) => void): JsonObject =>
  wrapping('error unmarshaling JSON: while decoding JSON', () =>
    decodeStruct(form, value, { lenient: true, ...(onUnknownField && { onUnknownField }) }),
  )

interface Place {
  /** The struct whose field is read. */
  readonly owner: string
  /** The fields that lead there, with the structs that they are embedded in. */
  readonly way: readonly string[]
  /** The same without those. */
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
  // Sorted, as JSON has them there: of two mistakes the first is told, of two spellings of a name the last one counts.
  for (const key of Object.keys(value).sort()) {
    const found = fieldNamed(form, name => name === key) ?? fieldNamed(form, name => isSpelling(key, name))
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
  /** The embedded structs on the way to it. */
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

/** Whether a key differs from a field's name in case only, as Unicode folds it. */
const isSpelling = (key: string, name: string): boolean => new RegExp(`^${name}$`, 'iu').test(key)

/** What a null stands for in lists and maps. */
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
  // Of a number that is not the one wanted, Go tells which.
  const shown = kind === 'number' && (form === 'int' || form === 'int64') ? `number ${value}` : kind
  const target = way.length > 0 ? `Go struct field ${[owner, ...way].join('.')}` : 'Go value'
  throw new KustomizeError(`json: cannot unmarshal ${shown} into ${target} of type ${goTypeOf(form)}`, {
    field: path.join('.'),
  })
}
