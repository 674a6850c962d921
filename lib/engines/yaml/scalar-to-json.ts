import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'
import { resolve, type YamlSchema } from './resolve.ts'
import { YamlError } from './yaml-error.ts'

/** The smallest integer that overflows int64. */
export const BEYOND_INT64 = 2n ** 63n
const STANDARD = new Set(['!!int', '!!float', '!!bool', '!!null', '!!timestamp'])

/** The value of a scalar: its style and tag take precedence over what its text looks like. */
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
  // A new value in its predecessor's quotes: once written, it is read as a string.
  if (!plain && !node.tagged && found.tag === tag) return value
  if (found.tag === tag) return found.value
  // Go does not convert an integer that needs all 64 bits unsigned to a float.
  if (tag === '!!float' && found.tag === '!!int' && (found.value as number | bigint) < BEYOND_INT64)
    return Number(found.value)
  // Kubernetes' parser reads only an explicit tag as a timestamp.
  if (resolve(value, 'kyaml').tag === tag) return value
  // A scalar with another tag is not read as a timestamp.
  const seen = found.tag === '!!timestamp' ? '!!str' : found.tag
  throw new YamlError(`cannot decode ${seen} \`${value}\` as a ${tag}`)
}

/** Decodes a `!!binary` scalar. Throws a YamlError. */
export const decodeBinary = (text: string): Buffer => {
  const base64 = text.replace(/[\r\n]/g, '')
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw new YamlError('!!binary value contains invalid base64 data')
  return Buffer.from(base64, 'base64')
}
