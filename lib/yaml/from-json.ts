import { formatNumber } from './format-number.ts'
import type { JsonValue } from './json-value.ts'
import { compareKeys } from './key-order.ts'
import { mapNode, scalarNode, seqNode, stringNode, type YamlNode } from './node.ts'

/** Data as a document tree with sorted keys, the way kyaml makes one from a Go map. */
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
      if (Array.isArray(value)) return seqNode(value.map(fromJson))
      return mapNode(
        Object.keys(value)
          .sort(compareKeys)
          .flatMap(key => [stringNode(key), fromJson(value[key]!)]),
      )
  }
}
