import { tags } from './tags.ts'

/**
 * Reads DER (X.690) without building a tree: a revocation list has a million entries. Lengths and tags are checked as strictly as signatures
 * need, so that every value has a single encoding.
 */

/** The bytes are not valid DER, or not of the expected type. */
export class InvalidDer extends Error {
  constructor(why: string) {
    super(`malformed ASN.1: ${why}`)
    this.name = 'InvalidDer'
  }
}

export interface Der {
  readonly tag: number
  readonly content: Buffer
  /** Including tag and length. */
  readonly whole: Buffer
}

const valueAt = (bytes: Buffer, start: number): Der => {
  const [tag = 0, first = 0] = bytes.subarray(start, start + 2)
  if ((tag & 0x1f) === 0x1f) throw new InvalidDer('a tag is too long')
  const count = first & 0x80 ? first & 0x7f : 0
  const head = start + 2 + count
  if (first === 0x80 || count > 4) throw new InvalidDer('a length is invalid')
  if (head > bytes.length) throw new InvalidDer('the data is truncated')
  const length = count === 0 ? first : bytes.readUIntBE(start + 2, count)
  if (count > 0 && (length < 0x80 || bytes[start + 2] === 0)) throw new InvalidDer('a length is too long')
  const end = head + length
  if (end > bytes.length) throw new InvalidDer('the data is truncated')
  return { tag, content: bytes.subarray(head, end), whole: bytes.subarray(start, end) }
}

/** Reads bytes that are exactly one value. Fails with InvalidDer. */
export const readDer = (bytes: Uint8Array, tag?: number): Der => {
  const fields = fieldsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const value = tag === undefined ? fields.next() : fields.next(tag)
  fields.end()
  return value
}

/** The values in a sequence; the bytes must be exactly one sequence. Fails with InvalidDer. */
export const readSequence = (bytes: Uint8Array): readonly Der[] => valuesOf(readDer(bytes, tags.sequence).content)

/** The values that follow one another in some content. Fails with InvalidDer. */
export const valuesOf = (content: Buffer): readonly Der[] => [...fieldsOf(content).rest()]

/** Reads the values of a constructed value in order. All methods fail with InvalidDer. */
export interface Fields {
  /** The next value, which must exist and have one of the tags, if any are given. */
  next(...expected: readonly number[]): Der
  /** The next value if it has one of the tags. */
  optional(...expected: readonly number[]): Der | undefined
  /** All remaining values, each with one of the tags, if any are given. */
  rest(...expected: readonly number[]): Iterable<Der>
  /** Fails unless all values were read. */
  end(): void
}

/** A reader of the values in some content, from its start. */
export const fieldsOf = (content: Buffer): Fields => {
  let at = 0
  const next = (...expected: readonly number[]): Der => {
    const value = valueAt(content, at)
    if (expected.length > 0 && !expected.includes(value.tag)) throw new InvalidDer(`unexpected tag ${value.tag}`)
    at += value.whole.length
    return value
  }
  return {
    next,
    optional: (...expected) => (expected.includes(content[at]!) ? next() : undefined),
    *rest(...expected) {
      while (at < content.length) yield next(...expected)
    },
    end: () => {
      if (at < content.length) throw new InvalidDer('the data has unexpected values at its end')
    },
  }
}

/** An object identifier in dotted notation. */
export const oidOf = ({ content }: Der): string => {
  const arcs: bigint[] = []
  let arc = 0n
  for (const byte of content) {
    if (arc === 0n && byte === 0x80) throw new InvalidDer('a part of an object identifier is too long')
    arc = (arc << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0n
    }
  }
  if ((content.at(-1) ?? 0x80) >= 0x80) throw new InvalidDer('an object identifier is truncated')
  const [both, ...others] = arcs
  const first = both! < 40n ? 0n : both! < 80n ? 1n : 2n
  return [first, both! - first * 40n, ...others].join('.')
}

/** An integer of any size. */
export const integerOf = ({ content }: Der): bigint => {
  if (content.length === 0) throw new InvalidDer('a number is empty')
  const nineBits = content.length > 1 ? content.readInt16BE() >> 7 : undefined
  if (nineBits === 0 || nineBits === -1) throw new InvalidDer('a number is too long')
  return BigInt.asIntN(content.length * 8, BigInt(`0x${content.toString('hex')}`))
}

/** The bytes of a bit string without unused bits. */
export const bytesOfBits = ({ content }: Der): Buffer => {
  if (content[0] !== 0) throw new InvalidDer('a bit string has unused bits')
  return content.subarray(1)
}

const shortTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
const longTime = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/

/** A UTCTime, whose years start in 1950, or a GeneralizedTime, with milliseconds. */
export const timeOf = ({ tag, content }: Der): Date => {
  const isShort = tag === tags.utcTime
  if (!isShort && tag !== tags.generalizedTime) throw new InvalidDer('a time is invalid')
  const found = (isShort ? shortTime : longTime).exec(content.toString('latin1'))
  if (!found) throw new InvalidDer('a time is invalid')
  const [, year, month, day, hour, minute, second, fraction = ''] = found
  const century = !isShort ? '' : Number(year) < 50 ? '20' : '19'
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const written = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`
  const time = new Date(written)
  // Date rolls over 30 February and 24:00 to the following day.
  if (time.toJSON() !== written) throw new InvalidDer('a time is invalid')
  return time
}
