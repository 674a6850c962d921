import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { goJson } from '../yaml/go-json.ts'
import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import { marshalJson } from '../yaml/marshal-json.ts'
import { lookup, type YamlNode } from '../yaml/node.ts'
import type { Resource } from './resource.ts'

const DIGITS: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' }

/** A suffix of ten characters that depends on the content of a ConfigMap or Secret. */
export const nameHash = (resource: Resource): string => {
  const hex = sha256Hex(encoded(resource)).slice(0, 10)
  return hex.replace(/[013ae]/g, digit => DIGITS[digit]!)
}

const encoded = (resource: Resource): string => {
  const root = resource.view!
  const { kind } = resource
  // kustomize looks the name up under the single key `metadata/name`, which never exists.
  const name = ''
  if (kind === 'ConfigMap') return goJson(withMap({ kind, name, data: dataOf(root, 'data') }, root, 'binaryData'))
  if (kind === 'Secret') {
    const type = dataOf(root, 'type')
    return goJson(withMap({ kind, type, name, data: dataOf(root, 'data') }, root, 'stringData'))
  }
  // kustomize's hash includes lines and columns of the file in this case.
  return goJson(resource.toJson())
}

const withMap = (object: JsonObject, root: YamlNode, key: string): JsonObject => {
  const data = dataOf(root, key)
  return typeof data === 'string' ? object : { ...object, [key]: data }
}

/** A mapping as it is, a scalar as text, '' if absent. */
const dataOf = (root: YamlNode, key: string): JsonValue => {
  const node = lookup(root, key)
  if (!node) return ''
  if (node.kind === 'scalar') return node.value
  return node.kind === 'map' ? marshalJson(node) : null
}
