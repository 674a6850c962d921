import { hash } from 'node:crypto'
import { emitJson } from '../../yaml/emit-json.ts'
import { parseJson } from '../format/parse-json.ts'
import { writeJson } from '../format/write-json.ts'
import { bytesOf, textOf } from '../values/text.ts'
import { toJsonValue } from '../values/to-json.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { decodeBase64 } from './base64.ts'
import { orElse } from './or-else.ts'

const adler32 = (text: string): string => {
  let [a, b] = [1, 0]
  for (const byte of bytesOf(text)) {
    a = (a + byte) % 65521
    b = (b + a) % 65521
  }
  return String(((b << 16) | a) >>> 0)
}

/** The digest of a text's bytes, in hexadecimal: of `sha256`, for instance. */
export const digest = (algorithm: string) => text1(text => hash(algorithm, bytesOf(text)))

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const encodeBase32 = (text: string): string => {
  let out = ''
  let [bits, pending] = [0, 0]
  for (const byte of bytesOf(text)) {
    pending = (pending << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) out += ALPHABET[(pending >> (bits - 5)) & 31]
    pending &= 31
  }
  if (bits > 0) out += ALPHABET[(pending << (5 - bits)) & 31]
  return out.padEnd(Math.ceil(out.length / 8) * 8, '=')
}

const decodeBase32 = (text: string): string => {
  const written = bytesOf(text.replace(/[\r\n]/g, '')).toString('latin1')
  const digits = /[A-Z2-7]*/.exec(written)![0]
  const spoiled = spoiledAt(written, digits.length)
  if (spoiled !== undefined) return `illegal base32 data at input byte ${spoiled}`
  const bytes: number[] = []
  let [bits, pending] = [0, 0]
  for (const digit of digits) {
    pending = ((pending << 5) | ALPHABET.indexOf(digit)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((pending >> bits) & 255)
  }
  return textOf(Buffer.from(bytes))
}

/** The position that Go reports for invalid base32, given its number of valid digits. After complete padding it stops reading. */
const spoiledAt = (text: string, digits: number): number | undefined => {
  const [count, left] = [digits % 8, text.length - digits]
  if (left === 0) return count > 0 ? digits - count : undefined
  if (text[digits] !== '=' || count < 2 || left > 8) return digits
  if (count + left < 8) return text.length
  const invalid = text.slice(digits + 1, digits + 8 - count).search(/[^=]/)
  if (invalid >= 0) return digits + invalid
  return count === 3 || count === 6 ? digits : undefined
}

/** A value that can't be written as JSON or YAML becomes empty, except in the `must` functions. */
export const orEmpty = (write: (value: Value) => string) => (value: Value) => orElse(() => write(value), '')

const text1 = (call: (text: string) => Value) => new TemplateFunction(['string'], call)
const both = (name: string, write: (value: Value) => string): [string, TemplateFunction][] => [
  [name, new TemplateFunction(['interface {}'], orEmpty(write))],
  [`must${name[0]!.toUpperCase()}${name.slice(1)}`, new TemplateFunction(['interface {}'], write)],
]

/** Fails with and without `must`. */
const raw = new TemplateFunction(['interface {}'], value => writeJson(value))

/** Digests, base64, base32 and JSON. */
export const encodingFunctions: FunctionMap = new Map([
  ['sha1sum', digest('sha1')],
  ['sha256sum', digest('sha256')],
  ['adler32sum', text1(adler32)],
  ['b64enc', text1(text => bytesOf(text).toString('base64'))],
  ['b64dec', text1(decodeBase64)],
  ['b32enc', text1(encodeBase32)],
  ['b32dec', text1(decodeBase32)],
  ['fromJson', text1(text => orElse(() => parseJson(text), null))],
  ['mustFromJson', text1(parseJson)],
  ...both('toJson', value => writeJson(value, { escapeHtml: true })),
  ...both('toPrettyJson', value => writeJson(value, { escapeHtml: true, isIndented: true })),
  ['toRawJson', raw],
  ['mustToRawJson', raw],
])

/** As sigs.k8s.io/yaml writes it, with a trailing newline. */
export const writeYaml = (value: Value): string => {
  try {
    return emitJson(toJsonValue(value))
  } catch (error) {
    throw new Error(`error marshaling into JSON: ${(error as Error).message}`)
  }
}
export const yamlFunctions: FunctionMap = new Map(both('toYaml', writeYaml))
