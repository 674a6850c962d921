import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'
import { resolve, type YamlSchema } from './resolve.ts'
import { YamlError } from './yaml-error.ts'

/** The first that an int64 does not hold. */
export const BEYOND_INT64 = 2n ** 63n
const STANDARD = new Set(['!!int', '!!float', '!!bool', '!!null', '!!timestamp'])

/** A scalar's value: its written style and tag first, then what its text looks like. */
export const scalarToJson = (node: YamlNode, schema: YamlSchema): JsonValue => {
  const { tag, value, style } = node
  if (tag === '!!str' && (style !== '' || node.tagged)) return value
  if (tag === '!!binary') return new TextDecoder().decode(decodeBinary(value))
  const plain = style === '' || style === 'flow'
  if (!plain && tag === '') return value
  if (node.nonSpecific && schema === 'kubernetes') return value
  if (tag === '' || (schema === 'kubernetes' && !node.tagged)) return resolve(value, schema).value
  if (!STANDARD.has(tag)) return value
  const found = resolve(value, schema)
  // A new value in quotes of its predecessor: what is written, then read, is a string.
  if (!plain && !node.tagged && found.tag === tag) return value
  if (found.tag === tag) return found.value
  // Go makes no float of an integer that has 64 bits without a sign.
  if (tag === '!!float' && found.tag === '!!int' && (found.value as number | bigint) < BEYOND_INT64)
    return Number(found.value)
  // For Kubernetes' parser only what says so is a time.
  if (resolve(value, 'kyaml').tag === tag) return value
  // What has another tag is not looked at as a time.
  const seen = found.tag === '!!timestamp' ? '!!str' : found.tag
  throw new YamlError(`cannot decode ${seen} \`${value}\` as a ${tag}`)
}

/** What a `!!binary` scalar stands for. Throws a YamlError. */
export const decodeBinary = (text: string): Buffer => {
  const base64 = text.replace(/[\r\n]/g, '')
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw new YamlError('!!binary value contains invalid base64 data')
  return Buffer.from(base64, 'base64')
}
