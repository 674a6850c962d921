import { bare, context, tags } from './tags.ts'

/** Encodes one DER value (X.690, 8.1): tag, length and content. All functions here return such values. */
export const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(body.length)), body])
}

const lengthOf = (length: number): readonly number[] => {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

/** SEQUENCE of the items, in their order. */
export const sequence = (...items: readonly Uint8Array[]): Buffer => der(tags.sequence, ...items)
/** SET of the items. DER sorts them by their bytes: pass more than one in that order. */
export const set = (...items: readonly Uint8Array[]): Buffer => der(tags.set, ...items)
/** OCTET STRING. */
export const octets = (bytes: Uint8Array): Buffer => der(tags.octetString, bytes)
/** BOOLEAN; DER has one byte for true, 0xff. */
export const boolean = (value: boolean): Buffer => der(tags.boolean, Uint8Array.of(value ? 0xff : 0))
export const none = der(tags.null)
/** UTF8String. */
export const utf8 = (text: string): Buffer => der(tags.utf8String, Buffer.from(text))

/** PrintableString if possible, otherwise UTF8String, as in Go. */
export const text = (value: string): Buffer =>
  /^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(value) ? der(tags.printableString, Buffer.from(value)) : utf8(value)

/** A bit string; `unused` is the number of unused bits in the last byte. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => der(tags.bitString, Uint8Array.of(unused), bytes)

/** Values with the explicit tag `[n]`. */
export const explicit = (n: number, ...values: readonly Uint8Array[]): Buffer => der(context(n), ...values)
/** Bytes with the implicit tag `[n]`. */
export const implicit = (n: number, bytes: Uint8Array): Buffer => der(bare(n), bytes)

/** The bytes, at least one, as a non-negative integer. */
export const integer = (bytes: Uint8Array): Buffer => {
  // If all bytes are zero, findIndex returns -1, which keeps the last one.
  const significant = bytes.subarray(bytes.findIndex(byte => byte !== 0))
  return der(tags.integer, significant[0]! >= 0x80 ? Uint8Array.of(0) : Buffer.of(), significant)
}

/** An object identifier: `2.5.4.3`. */
export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(tags.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)))
}

const base128 = (value: number): readonly number[] => {
  const digits = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f))
  return digits
}

/** UTCTime until 2049, otherwise GeneralizedTime (RFC 5280, 4.1.2.5). Throws unless the year has four digits. */
export const time = (date: Date): Buffer => {
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) throw new Error('cannot represent time as GeneralizedTime')
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return year >= 1950 && year < 2050
    ? der(tags.utcTime, Buffer.from(digits.slice(2)))
    : der(tags.generalizedTime, Buffer.from(digits))
}
