/** The little of ASN.1's DER that X.509 certificates need. Every function returns encoded bytes. */

const tagged = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length])
  const bytes = bigEndian(BigInt(length))
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

const bigEndian = (value: bigint): Buffer => {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
}

export const sequence = (...items: readonly Uint8Array[]) => tagged(0x30, ...items)
export const set = (...items: readonly Uint8Array[]) => tagged(0x31, ...items)
export const utf8 = (text: string) => tagged(0x0c, Buffer.from(text))
export const octets = (content: Uint8Array) => tagged(0x04, content)
export const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]))
/** `unused` counts the bits at the end that mean nothing. */
export const bits = (content: Uint8Array, unused = 0) => tagged(0x03, Buffer.from([unused]), content)
/** A value under the tag `[number]`. */
export const explicit = (number: number, ...content: readonly Uint8Array[]) => tagged(0xa0 | number, ...content)
/** Bytes under the tag `[number]` in place of their own. */
export const implicit = (number: number, content: Uint8Array) => tagged(0x80 | number, content)

/** A whole number that is not negative, from its bytes. */
export const integer = (bytes: Uint8Array): Buffer => {
  const start = bytes.findIndex(byte => byte !== 0)
  const digits = start < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start))
  return digits[0]! & 0x80 ? tagged(0x02, Buffer.from([0]), digits) : tagged(0x02, digits)
}

/** An object identifier in dotted form. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

const base128 = (arc: number): number[] => {
  const digits = [arc & 0x7f]
  for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift(0x80 | (left & 0x7f))
  return digits
}

/** A time up to 2049 as UTCTime, later ones as GeneralizedTime, as RFC 5280 wants it. */
export const time = (date: Date): Buffer => {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
}
