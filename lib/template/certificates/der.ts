/** One value of DER (X.690, 8.1): a tag, the length of its content, and the content. */
export const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(body.length)), body])
}

const lengthOf = (length: number): readonly number[] => {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return [0x80 | bytes.length, ...bytes]
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items)
export const octets = (bytes: Uint8Array): Buffer => der(0x04, bytes)
export const text = (value: string): Buffer => der(isPrintable(value) ? 0x13 : 0x0c, Buffer.from(value))
export const yes = der(0x01, Uint8Array.of(0xff))
export const none = der(0x05)

/** PrintableString where that is enough, else UTF8String, as Go does. */
const isPrintable = (value: string): boolean => /^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(value)

/** The whole number, not negative, that the bytes are. */
export const integer = (bytes: Uint8Array): Buffer => {
  const first = bytes.findIndex(byte => byte !== 0)
  const significant = first < 0 ? Uint8Array.of(0) : bytes.subarray(first)
  return der(0x02, significant[0]! >= 0x80 ? Uint8Array.of(0) : Buffer.of(), significant)
}

/** Bits, of which so many at the end of the last byte count not. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => der(0x03, Uint8Array.of(unused), bytes)

/** An object identifier: `2.5.4.3`. */
export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)))
}

const base128 = (value: number): readonly number[] => {
  const digits = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f))
  return digits
}

/** UTCTime until 2049 and GeneralizedTime otherwise (RFC 5280, 4.1.2.5). */
export const time = (date: Date): Buffer => {
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) throw new Error('cannot represent time as GeneralizedTime')
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return year >= 1950 && year < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

export interface DerValue {
  readonly tag: number
  readonly content: Buffer
  /** With tag and length. */
  readonly whole: Buffer
}

/** The values that follow one another in the bytes, whose content is not looked into. Throws on what is cut off. */
export const readDer = (bytes: Buffer): readonly DerValue[] => {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    const short = bytes[at + 1] ?? 0
    const lengthBytes = short < 0x80 ? 0 : short & 0x7f
    if (at + 2 + lengthBytes > bytes.length || lengthBytes > 4) throw new Error('malformed DER')
    const length = lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes)
    const start = at + 2 + lengthBytes
    const end = start + length
    if (end > bytes.length) throw new Error('malformed DER')
    values.push({ tag: bytes[at]!, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) })
    at = end
  }
  return values
}

/** What the first value in the bytes, a sequence, holds. */
export const readSequence = (bytes: Buffer): readonly DerValue[] => readDer(readDer(bytes)[0]?.content ?? bytes)
