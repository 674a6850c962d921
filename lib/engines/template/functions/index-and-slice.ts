import { Bytes } from '../values/bytes.ts'
import { byteLength, byteSlice, bytesOf } from '../values/text.ts'
import {
  Int,
  int,
  integerOf,
  isNothing,
  TypedList,
  TypedMap,
  typeNameOf,
  unnamed,
  type Value,
} from '../values/value.ts'

/** The builtin `index`: indexes lists, maps and text, one index after the other. */
export const indexOf = (item: Value, ...indexes: Value[]): Value => {
  if (isNothing(item)) throw new Error('index of untyped nil')
  let found: Value = item
  for (const index of indexes) {
    if (isNothing(found)) throw new Error('index of nil pointer')
    found = oneIndex(found, index)
  }
  return found
}

const oneIndex = (item: Value, index: Value): Value => {
  if (Array.isArray(item)) return item[position(index, item.length, 'slice')]
  if (typeof item === 'string') {
    const bytes = bytesOf(item)
    return new Int(BigInt(bytes[position(index, bytes.length, 'string')]!), 'uint8')
  }
  if (item instanceof Map) {
    if (typeof index === 'string') return item.get(index) ?? (item instanceof TypedMap ? '' : null)
    if (isNothing(index)) throw new Error('value is nil; should be of type string')
    throw new Error(`value has type ${typeNameOf(index)}; should be string`)
  }
  throw new Error(`can't index item of type ${pointedTo(item)}`)
}

/** An index up to and including the length, as in slices. */
const bound = (index: Value, length: number): number => {
  if (isNothing(index)) throw new Error('cannot index slice/array with nil')
  const at = integerOf(unnamed(index))
  if (at === undefined) throw new Error(`cannot index slice/array with type ${typeNameOf(index)}`)
  if (at < 0n || at > BigInt(length)) throw new Error(`index out of range: ${at}`)
  return Number(at)
}

const position = (index: Value, length: number, kind: 'slice' | 'string'): number => {
  const at = bound(index, length)
  if (at === length) throw new Error(`reflect: ${kind} index out of range`)
  return at
}

/** The builtin `slice`: x[1:2:3] of a list, x[1:2] of text. */
export const sliceOf = (item: Value, ...indexes: Value[]): Value => {
  if (isNothing(item)) throw new Error('slice of untyped nil')
  if (indexes.length > 3) throw new Error(`too many slice indexes: ${indexes.length}`)
  const isText = typeof item === 'string'
  if (isText && indexes.length === 3) throw new Error('cannot 3-index slice a string')
  if (!isText && !Array.isArray(item)) throw new Error(`can't slice item of type ${pointedTo(item)}`)
  const length = isText ? byteLength(item) : item.length
  const [start = 0, end = length, capacity = length] = indexes.map(index => bound(index, length))
  if (start > end) throw new Error(`invalid slice index: ${start} > ${end}`)
  if (end > capacity) throw new Error(`invalid slice index: ${end} > ${capacity}`)
  if (isText) return byteSlice(item, start, end)
  return item instanceof TypedList
    ? TypedList.holding(item.elementType, item.slice(start, end))
    : item.slice(start, end)
}

/** The builtin `len`; for text, in bytes. */
export const lengthOf = (item: Value): Value => {
  if (item === null) throw new Error('len of nil pointer')
  if (item === undefined) throw new Error('reflect: call of reflect.Value.Type on zero Value')
  if (typeof item === 'string') return int(byteLength(item))
  if (Array.isArray(item)) return int(item.length)
  if (item instanceof Map) return int(item.size)
  if (item instanceof Bytes) return int(item.data.length)
  throw new Error(`len of type ${pointedTo(item)}`)
}

/** The type that a pointer points to. */
const pointedTo = (value: Value): string => typeNameOf(value).replace('*', '')
