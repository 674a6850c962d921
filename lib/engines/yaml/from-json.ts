import { formatNumber } from './format-number.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { compareKeys } from './key-order.ts'
import { mapNode, scalarNode, seqNode, stringNode, type YamlNode } from './node.ts'

/**
 * Data as a document tree with sorted keys, the way kyaml makes one from a Go map: it writes the map and parses that. So what is empty
 * is in brackets, and stays so when something is put into it.
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
