import { formatNumber } from './format-number.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { compareKeys } from './key-order.ts'
import { mapNode, scalarNode, seqNode, stringNode, type YamlNode } from './node.ts'

/**
 * Converts data to a document tree with sorted keys, as kyaml does from a Go map: it writes the map and parses the result. So empty
 * collections are in flow style, and stay so when something is added.
 */
export const fromJson = (value: JsonValue): YamlNode => {
  switch (typeof value) {
    case 'string':
      return stringNode(value)
    case 'boolean':
      return scalarNode(String(value), '!!bool')
    case 'number':
    case 'bigint': {
      const text = formatNumber(value)
      return scalarNode(text, /^-?\d+$/.test(text) ? '!!int' : '!!float')
    }
    default:
      if (value === null) return scalarNode('null', '!!null')
      return bracketsIfEmpty(Array.isArray(value) ? seqNode(value.map(fromJson)) : mapNode(fieldsOf(value)))
  }
}

const fieldsOf = (object: JsonObject): YamlNode[] =>
  Object.keys(object)
    .sort(compareKeys)
    .flatMap(key => [stringNode(key), fromJson(object[key]!)])

const bracketsIfEmpty = (node: YamlNode): YamlNode => {
  if (node.content.length === 0) node.style = 'flow'
  return node
}
