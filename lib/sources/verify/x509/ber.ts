import { InvalidDer } from '../../../foundations/der/read-der.ts'
import { tags } from '../../../foundations/der/tags.ts'
import { der } from '../../../foundations/der/write-der.ts'

const MAX_DEPTH = 32
const CONSTRUCTED = 0x20
const PIECES = tags.octetString | CONSTRUCTED

/** Converts BER to DER: messages (CMS) may have indefinite lengths and strings in pieces. Fails with InvalidDer. */
export const toDer = (ber: Uint8Array): Buffer => {
  const bytes = Buffer.from(ber.buffer, ber.byteOffset, ber.byteLength)
  const { value, end } = convert(bytes, 0, bytes.length, 0)
  if (end !== bytes.length) throw new InvalidDer('it has trailing data')
  return value
}

interface Converted {
  readonly value: Buffer
  readonly content: Buffer
  readonly end: number
}

const convert = (bytes: Buffer, start: number, limit: number, depth: number): Converted => {
  if (depth > MAX_DEPTH) throw new InvalidDer('it is nested too deeply')
  const tag = bytes[start]
  if (tag === undefined || start + 2 > limit || (tag & 0x1f) === 0x1f) throw new InvalidDer('it has an invalid tag')
  const { length, from } = lengthAt(bytes, start + 1)
  const to = length === undefined ? limit : from + length
  if (to > limit) throw new InvalidDer('it is truncated')
  if ((tag & CONSTRUCTED) === 0) {
    if (length === undefined) throw new InvalidDer('it has an invalid length')
    const content = bytes.subarray(from, to)
    return { value: der(tag, content), content, end: to }
  }
  const { parts, end } = partsOf(bytes, from, to, length === undefined, depth)
  const content = Buffer.concat(parts.map(part => (tag === PIECES ? part.content : part.value)))
  return { value: der(tag === PIECES ? tags.octetString : tag, content), content, end }
}

const partsOf = (bytes: Buffer, from: number, to: number, isOpen: boolean, depth: number) => {
  const parts: Converted[] = []
  let at = from
  while (at < to) {
    if (isOpen && bytes[at] === 0 && bytes[at + 1] === 0) return { parts, end: at + 2 }
    const part = convert(bytes, at, to, depth + 1)
    parts.push(part)
    at = part.end
  }
  if (isOpen) throw new InvalidDer('it is truncated')
  return { parts, end: at }
}

/** Undefined for an indefinite length, which two zero bytes end. */
const lengthAt = (bytes: Buffer, at: number): { readonly length: number | undefined; readonly from: number } => {
  const first = bytes[at]!
  if (first < 0x80) return { length: first, from: at + 1 }
  const count = first & 0x7f
  if (count === 0) return { length: undefined, from: at + 1 }
  if (count > 4 || at + 1 + count > bytes.length) throw new InvalidDer('it has an invalid length')
  return { length: bytes.readUIntBE(at + 1, count), from: at + 1 + count }
}
